// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.aeron.cluster.client.EgressListener;
import io.aeron.logbuffer.Header;
import io.verbus.codecs.marketdata.MessageHeaderDecoder;
import io.verbus.codecs.marketdata.OrderAcceptedDecoder;

import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;

import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;

/**
 * Records which of the client's orders were acknowledged, and how long that took. Not thread-safe.
 */
final class OrderLedger implements EgressListener {
    private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(10);
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final MessageHeaderDecoder messageHeader = new MessageHeaderDecoder();
    private final OrderAcceptedDecoder accepted = new OrderAcceptedDecoder();
    private final long intervalNs;
    private final BitSet isApplied = new BitSet();
    private final BitSet isOfFailover = new BitSet();

    private long[] latencies;
    private long startNs;
    private int acknowledged;
    private int firstMissing;
    private long duplicated;
    private long lastNs;
    private boolean hasNewLeader;
    private boolean isCatchingUp;
    private int failoverFrom;
    private long failoverNs;
    private long resends;

    /**
     * @param orders expected number of orders; more are possible.
     * @param intervalNs interval at which orders are due, in nanoseconds.
     */
    OrderLedger(int orders, long intervalNs) {
        this.intervalNs = intervalNs;
        latencies = new long[orders];
    }

    /** Sets the time at which the first order is due. */
    void start(long nowNs) {
        startNs = nowNs;
        lastNs = nowNs;
    }

    /** Returns the time at which an order is due. */
    long dueNs(int id) {
        return startNs + id * intervalNs;
    }

    @Override
    public void onMessage(
            long clusterSessionId,
            long timestamp,
            DirectBuffer buffer,
            int offset,
            int length,
            Header header) {
        if (messageHeader.wrap(buffer, offset).templateId() == OrderAcceptedDecoder.TEMPLATE_ID) {
            accepted.wrapAndApplyHeader(buffer, offset, messageHeader);
            onAccepted((int) accepted.clientOrderId(), accepted.sequence(), System.nanoTime());
        }
    }

    private void onAccepted(int id, long sequence, long nowNs) {
        if (sequence >= 0) {
            duplicated += isApplied.get(id) || sequence != id ? 1 : 0;
            isApplied.set(id);
        }
        if (id >= latencies.length) {
            latencies = Arrays.copyOf(latencies, 2 * id);
        }
        if (latencies[id] != 0) {
            return; // a duplicate: the order was sent again before its first answer arrived
        }
        latencies[id] = Math.max(1, nowNs - dueNs(id));
        acknowledged++;
        if (hasNewLeader) {
            hasNewLeader = false;
            failoverFrom = isCatchingUp ? Math.min(failoverFrom, firstMissing) : firstMissing;
            isCatchingUp = true;
            failoverNs = Math.max(failoverNs, nowNs - lastNs);
            System.out.println(OrderSender.FAILOVER + (nowNs - lastNs) / NS_PER_MS + " ms");
        }
        lastNs = nowNs;
        while (firstMissing < latencies.length && latencies[firstMissing] != 0) {
            firstMissing++;
        }
    }

    @Override
    public void onNewLeader(
            long clusterSessionId, long leadershipTermId, int leaderMemberId, String endpoints) {
        onNewSession();
        System.out.println(OrderSender.LEADER + leaderMemberId);
    }

    /** Marks orders in flight as uncertain: the former leader may not have handled them. */
    void onNewSession() {
        hasNewLeader = true;
        resends++;
    }

    /**
     * Ends the catching up: all due orders, including those that became due without a leader, have
     * been sent.
     */
    void onCaughtUp(int nextId) {
        if (isCatchingUp) {
            isCatchingUp = false;
            isOfFailover.set(failoverFrom, Math.max(failoverFrom, nextId));
        }
    }

    /** Returns a number that increases whenever unanswered orders must be sent again. */
    long resends() {
        return resends;
    }

    /** Returns the number of acknowledged orders. */
    int acknowledged() {
        return acknowledged;
    }

    /** Returns the first order that was not acknowledged. */
    int firstMissing() {
        return firstMissing;
    }

    /** Returns the time of the last acknowledgement. */
    long lastNs() {
        return lastNs;
    }

    /** Returns the final result. */
    ClientResult result() {
        Histogram histogram = new Histogram(LONGEST_NS, 3);
        for (int id = 0; id < latencies.length; id++) {
            if (latencies[id] != 0 && !isOfFailover.get(id)) {
                histogram.recordValue(Math.min(latencies[id], LONGEST_NS));
            }
        }
        return new ClientResult(
                acknowledged,
                duplicated,
                failoverNs,
                histogram.getValueAtPercentile(50),
                histogram.getValueAtPercentile(99));
    }
}
