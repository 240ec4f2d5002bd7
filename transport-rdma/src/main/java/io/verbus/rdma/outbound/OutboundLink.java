// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.cnc.HopRecorder;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.ConnectionCounters;
import io.verbus.rdma.common.ControlDecoder;
import io.verbus.rdma.common.Goodbye;
import io.verbus.rdma.common.PlacementProbe;
import io.verbus.rdma.common.Probe;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.transport.RoundRobin;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.Queue;

/**
 * The sender's end of one connection. All streams to one remote endpoint share the connection's
 * queue pair and take turns. Created by the conductor; used only by the sender from attachment to
 * release.
 */
final class OutboundLink
        implements QueuePair.Handler,
                ControlDecoder.Answers,
                RoundRobin.Turn<Transfer>,
                Goodbye.Sayer {
    private static final int MAX_DRAIN_POLLS = 64;

    private final QueuePair queuePair;
    private final ConnectionCounters counters;
    private final Queue<SenderEvent> events;
    private final OutboundPort port;
    private final Probe probe;

    /** Probe that confirms writes; null if commits do not wait for confirmation. */
    private final PlacementProbe placement;

    private final ControlDecoder decoder = new ControlDecoder();
    private final Long2ObjectHashMap<Transfer> byRegistration = new Long2ObjectHashMap<>();

    private final RoundRobin<Transfer> roundRobin;

    /** Whether a transfer has ended and must be removed at the end of the cycle. */
    private boolean anyGone;

    private long goodbyeAt;

    /**
     * Whether the peer's answer to a probe shows that the bytes sent before the probe have arrived.
     */
    private final boolean isMeasurable;

    /** Recorder of the probes' round trips; null if they are not sampled. */
    private final HopRecorder roundTrips;

    private final long roundTripIntervalNs;
    private long roundTripDueNs;
    private long awaitedProbe;
    private long polledNs;

    OutboundLink(
            QueuePair queuePair,
            OutboundMemory memory,
            int version,
            ConnectionCounters counters,
            RdmaOptions options,
            Queue<SenderEvent> events,
            boolean confirms,
            HopRecorder roundTrips,
            long nowNs) {
        this.queuePair = queuePair;
        this.counters = counters;
        this.events = events;
        port = new OutboundPort(this, queuePair, memory, version, counters, options, events);
        long intervalNs = options.probeIntervalNs();
        long timeoutNs = options.probeTimeoutNs();
        placement = confirms ? new PlacementProbe(queuePair, intervalNs, timeoutNs, nowNs) : null;
        probe = confirms ? placement : new Probe(intervalNs, timeoutNs, nowNs);
        roundRobin = new RoundRobin<>(options.idleAfterNs(), nowNs);
        isMeasurable = confirms || queuePair.isAcknowledged();
        this.roundTrips = roundTrips;
        roundTripIntervalNs = intervalNs;
        roundTripDueNs = nowNs;
        polledNs = nowNs;
    }

    /** Returns whether hops can be sampled, because answers show that bytes have arrived. */
    boolean isMeasurable() {
        return isMeasurable;
    }

    /** Returns the probe that confirms writes; null if the order of writes is trusted. */
    PlacementProbe placement() {
        return placement;
    }

    /**
     * Sends the proof of this driver's key. Called on the conductor's thread, before attachment.
     */
    void prove(Proof proof) {
        if (port.sendProof(proof) < 0) {
            port.fail("the send queue has no room for the proof of the key: raise rdma.send-depth");
        }
    }

    void add(Transfer transfer) {
        roundRobin.add(transfer);
        byRegistration.put(transfer.registrationId(), transfer);
    }

    /** Wakes a transfer because of a request from the conductor. */
    void wake(Transfer transfer) {
        if (byRegistration.get(transfer.registrationId()) == transfer) {
            roundRobin.wake(transfer);
        }
    }

    /**
     * Runs one duty cycle.
     *
     * @param nowNs time of the cycle.
     * @return the work count.
     */
    int work(long nowNs) {
        port.nowNs(nowNs);
        int completions = queuePair.poll(this);
        int work = completions;
        if (completions > 0) {
            counters.completions.getAndAddRelease(completions);
        }
        if (roundTrips != null) {
            endRoundTrip(nowNs);
        }
        if (!hasFailed()) {
            work += roundRobin.go(this, nowNs);
        }
        if (anyGone) {
            removeGone();
        }
        if (!hasFailed()) {
            finishCycle(nowNs);
        }
        return work;
    }

    /** Services a stream. */
    @Override
    public int take(Transfer transfer, long nowNs) {
        int work = transfer.work(port, nowNs);
        anyGone |= transfer.state() == StreamState.GONE;
        return hasFailed() ? RoundRobin.STOP : work;
    }

    private void finishCycle(long nowNs) {
        long answered = queuePair.answered();
        if (probe.isMissed(nowNs, answered)) {
            port.fail(probe.missed());
        } else if (probe.isDue(nowNs, answered)) {
            long count = queuePair.stageProbe();
            probe.sent(nowNs, count);
            port.sendProbe();
            if (roundTrips != null) {
                beginRoundTrip(count, nowNs);
            }
        } else {
            port.postStaged();
        }
    }

    private void beginRoundTrip(long count, long nowNs) {
        if (!roundTrips.isOpen() && nowNs - roundTripDueNs >= 0) {
            roundTripDueNs = nowNs + roundTripIntervalNs;
            awaitedProbe = count;
            long postedNs = roundTrips.nowNs();
            roundTrips.begin(postedNs, postedNs);
        }
    }

    private void endRoundTrip(long nowNs) {
        if (roundTrips.isOpen() && queuePair.answered() >= awaitedProbe) {
            roundTrips.end(polledNs, roundTrips.nowNs(), 0);
        }
        polledNs = nowNs;
    }

    /** Returns whether the connection has failed. {@link #release} must then be called. */
    boolean hasFailed() {
        return port.failure() != null;
    }

    /** Releases the queue pair at the conductor's request. */
    void detach(String reason) {
        for (int i = 0; i < MAX_DRAIN_POLLS && queuePair.poll(this) > 0; i++) {
            // Messages that arrived before the end are still handled.
            continue;
        }
        port.fail(reason);
        release();
    }

    /** Releases the queue pair, which this side no longer uses. */
    void release() {
        while (roundRobin.count() > 0) {
            Transfer transfer = roundRobin.get(roundRobin.count() - 1);
            roundRobin.remove(transfer);
            transfer.disconnect(port.completed());
        }
        byRegistration.clear();
        if (roundTrips != null) {
            roundTrips.cancel();
        }
        events.add(new SenderEvent.Released(this, port.failure(), port.end()));
    }

    private void removeGone() {
        anyGone = false;
        for (int i = roundRobin.count() - 1; i >= 0; i--) {
            Transfer transfer = roundRobin.get(i);
            if (transfer.state() == StreamState.GONE) {
                roundRobin.remove(transfer);
                byRegistration.remove(transfer.registrationId(), transfer);
            }
        }
    }

    // Events from the queue pair

    @Override
    public void onMessage(long address, int length) {
        String wrong = hasFailed() ? null : decoder.readAnswer(address, length, this);
        if (wrong != null) {
            port.violated(wrong);
        }
    }

    @Override
    public void onFailure(String reason) {
        port.fail(reason);
    }

    @Override
    public void onAccept(
            long registrationId,
            long logAddress,
            int logKey,
            long position,
            int window,
            boolean isTagged,
            long groupTag) {
        Transfer transfer = woken(registrationId);
        if (transfer != null) {
            transfer.onAccept(port, logAddress, logKey, position, window, isTagged, groupTag);
        }
    }

    @Override
    public void onWanted(long registrationId) {
        Transfer transfer = woken(registrationId);
        if (transfer != null) {
            transfer.onWanted(port);
        }
    }

    @Override
    public void onAgain(long registrationId) {
        Transfer transfer = woken(registrationId);
        if (transfer != null) {
            transfer.onAgain(port);
        }
    }

    @Override
    public void onDefer(long registrationId, String streams) {
        Transfer transfer = woken(registrationId);
        if (transfer != null) {
            transfer.onDefer(port, streams);
        }
    }

    @Override
    public void onReject(long registrationId, RejectCode code, String text) {
        Transfer transfer = woken(registrationId);
        if (transfer != null) {
            transfer.onReject(port, code, text);
        }
    }

    @Override
    public void onImageClosed(long registrationId) {
        Transfer transfer = woken(registrationId);
        if (transfer != null) {
            transfer.onImageClosed(port);
        }
    }

    @Override
    public void onResponseSession(long registrationId, int sessionId) {
        Transfer transfer = byRegistration.get(registrationId);
        if (transfer != null) {
            transfer.onResponseSession(port, sessionId);
        }
    }

    /**
     * Wakes and returns the transfer to which a peer's message belongs. Returns null if there is
     * none.
     */
    private Transfer woken(long registrationId) {
        Transfer transfer = byRegistration.get(registrationId);
        if (transfer != null) {
            roundRobin.wake(transfer);
        }
        return transfer;
    }

    @Override
    public void onGoodbye() {
        port.ended();
    }

    @Override
    public void sayGoodbye() {
        goodbyeAt = hasFailed() ? -1 : port.sendGoodbye();
    }

    @Override
    public boolean isGoodbyeOver() {
        if (!hasFailed()) {
            queuePair.poll(this);
        }
        return hasFailed() || queuePair.completed() >= goodbyeAt;
    }
}
