// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.aeron.cluster.client.EgressListener;
import io.aeron.logbuffer.Header;
import io.verbus.codecs.marketdata.MessageHeaderDecoder;
import io.verbus.codecs.marketdata.OrderAcceptedDecoder;

import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;

import java.util.concurrent.TimeUnit;

/**
 * Which orders were acknowledged, and how long that took: what the client of the cluster is told.
 * One thread.
 */
final class OrderLedger implements EgressListener {
    private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(10);

    private final MessageHeaderDecoder messageHeader = new MessageHeaderDecoder();
    private final OrderAcceptedDecoder accepted = new OrderAcceptedDecoder();
    private final long intervalNs;
    private final long[] latencies;
    private final boolean[] isApplied;

    private long startNs;
    private int acknowledged;
    private int firstMissing;
    private long duplicated;
    private long lastNs;
    private boolean hasNewLeader;
    private boolean isCatchingUp;
    private int failoverFrom;
    private int failoverTo;
    private long failoverNs;
    private long resends;

    /**
     * @param orders that are sent.
     * @param intervalNs from the time when one is due to that of the next.
     */
    OrderLedger(int orders, long intervalNs) {
        this.intervalNs = intervalNs;
        latencies = new long[orders];
        isApplied = new boolean[orders];
    }

    /** The first order is due now. */
    void start(long nowNs) {
        startNs = nowNs;
        lastNs = nowNs;
    }

    /** When an order is due. */
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
            duplicated += isApplied[id] || sequence != id ? 1 : 0;
            isApplied[id] = true;
        }
        if (latencies[id] != 0) {
            return; // it was sent again, and its first answer came after all
        }
        latencies[id] = Math.max(1, nowNs - dueNs(id));
        acknowledged++;
        if (hasNewLeader) {
            hasNewLeader = false;
            isCatchingUp = true;
            failoverFrom = failoverNs == 0 ? firstMissing : Math.min(failoverFrom, firstMissing);
            failoverNs = Math.max(failoverNs, nowNs - lastNs);
        }
        lastNs = nowNs;
        while (firstMissing < latencies.length && latencies[firstMissing] != 0) {
            firstMissing++;
        }
    }

    @Override
    public void onNewLeader(
            long clusterSessionId, long leadershipTermId, int leaderMemberId, String endpoints) {
        hasNewLeader = true;
        resends++;
        System.out.println(OrderSender.LEADER + leaderMemberId);
    }

    /** Every order that is due was sent: those of the time without a leader, too. */
    void onCaughtUp(int nextId) {
        if (isCatchingUp) {
            isCatchingUp = false;
            failoverTo = nextId;
        }
    }

    /** Grows when orders without an answer are to be sent again. */
    long resends() {
        return resends;
    }

    /** Orders that were acknowledged. */
    int acknowledged() {
        return acknowledged;
    }

    /** The first order that was not. */
    int firstMissing() {
        return firstMissing;
    }

    /** When the last acknowledgement came. */
    long lastNs() {
        return lastNs;
    }

    /** What is known in the end. */
    ClientResult result() {
        Histogram histogram = new Histogram(LONGEST_NS, 3);
        for (int id = 0; id < latencies.length; id++) {
            if (latencies[id] != 0 && (id < failoverFrom || id >= failoverTo)) {
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
