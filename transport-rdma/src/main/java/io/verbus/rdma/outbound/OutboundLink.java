// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.common.ConnectionCounters;
import io.verbus.rdma.common.ControlDecoder;
import io.verbus.rdma.common.ControlEncoder;
import io.verbus.rdma.common.Goodbye;
import io.verbus.rdma.common.LinkEnd;
import io.verbus.rdma.common.Probe;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.SendRing;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.transport.RoundRobin;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.Queue;

/**
 * The sender's end of one connection: all streams to one remote endpoint share its queue pair, and
 * take turns. Made and closed by the conductor; between attachment and release the sender's alone.
 */
final class OutboundLink
        implements QueuePair.Handler,
                ControlDecoder.Answers,
                RoundRobin.Turn<Transfer>,
                Goodbye.Sayer,
                AutoCloseable {
    private static final int CONTROL_SLOTS = 32;
    private static final int FINAL_POSITION = RdmaOptions.MESSAGE_LENGTH - Long.BYTES;
    private static final RemoteKey NO_KEY = new RemoteKey(0);

    /** Work requests kept free of frames, so that control messages and probes always find room. */
    private static final int RESERVED = 4;

    private static final int MAX_DRAIN_POLLS = 64;

    private final QueuePair queuePair;
    private final ConnectionCounters counters;
    private final RdmaOptions options;
    private final Queue<SenderEvent> events;
    private final SendRing control;
    private final SendRing zero;
    private final Probe probe;
    private final ControlDecoder reader = new ControlDecoder();
    private final ControlEncoder writer = new ControlEncoder();
    private final Long2ObjectHashMap<Transfer> byRegistration = new Long2ObjectHashMap<>();

    private final RoundRobin<Transfer> turns;

    /** A transfer is over: it is let go at the end of the cycle. */
    private boolean anyGone;

    private boolean staged;
    private long stagedBytes;
    private long stagedBatches;
    private long posted;
    private String failure;
    private LinkEnd end = LinkEnd.LOST;
    private long goodbyeAt;

    OutboundLink(
            QueuePair queuePair,
            Domain domain,
            ConnectionCounters counters,
            RdmaOptions options,
            Queue<SenderEvent> events,
            long nowNs) {
        this.queuePair = queuePair;
        this.counters = counters;
        this.options = options;
        this.events = events;
        zero = new SendRing(domain, 1, Long.BYTES * 8);
        try {
            control = new SendRing(domain, CONTROL_SLOTS, RdmaOptions.MESSAGE_LENGTH);
        } catch (RuntimeException e) {
            zero.close();
            throw e;
        }
        probe = new Probe(options.probeIntervalNs(), options.probeTimeoutNs(), nowNs);
        turns = new RoundRobin<>(options.idleAfterNs(), nowNs);
    }

    void add(Transfer transfer) {
        turns.add(transfer);
        byRegistration.put(transfer.registrationId(), transfer);
    }

    /** The conductor has asked something of a transfer. */
    void wake(Transfer transfer) {
        if (byRegistration.get(transfer.registrationId()) == transfer) {
            turns.wake(transfer);
        }
    }

    /**
     * One duty cycle.
     *
     * @param nowNs of the cycle.
     * @return the amount of work done.
     */
    int work(long nowNs) {
        int completions = queuePair.poll(this);
        int work = completions;
        if (completions > 0) {
            counters.completions.getAndAddRelease(completions);
        }
        if (failure == null) {
            work += turns.go(this, nowNs);
        }
        if (anyGone) {
            removeGone();
        }
        if (failure == null) {
            finishCycle(nowNs);
        }
        return work;
    }

    /** A stream's turn. */
    @Override
    public int take(Transfer transfer, long nowNs) {
        int work = transfer.work(this, nowNs);
        anyGone |= transfer.state() == Transfer.State.GONE;
        return failure == null ? work : RoundRobin.STOP;
    }

    private void finishCycle(long nowNs) {
        long answered = queuePair.answered();
        if (probe.isMissed(nowNs, answered)) {
            failed(probe.missed());
        } else if (probe.isDue(nowNs, answered)) {
            probe.sent(nowNs, queuePair.stageProbe());
            post(true);
        } else if (staged) {
            post(false);
        }
    }

    /** Whether the connection has failed: {@link #release} is due. */
    boolean hasFailed() {
        return failure != null;
    }

    /** Lets go of the queue pair for a reason of the conductor's. */
    void detach(String reason) {
        for (int i = 0; i < MAX_DRAIN_POLLS && queuePair.poll(this) > 0; i++) {
            // What arrived before the end still counts.
            continue;
        }
        if (failure == null) {
            failure = reason;
        }
        release();
    }

    /** Lets go of the queue pair: nothing here touches it any more. */
    void release() {
        while (turns.count() > 0) {
            Transfer transfer = turns.get(turns.count() - 1);
            turns.remove(transfer);
            transfer.disconnect(completed());
        }
        byRegistration.clear();
        events.add(new SenderEvent.Released(this, failure, end));
    }

    private void removeGone() {
        anyGone = false;
        for (int i = turns.count() - 1; i >= 0; i--) {
            Transfer transfer = turns.get(i);
            if (transfer.state() == Transfer.State.GONE) {
                turns.remove(transfer);
                byRegistration.remove(transfer.registrationId(), transfer);
            }
        }
    }

    // What a transfer needs

    long answerTimeoutNs() {
        return options.probeTimeoutNs();
    }

    int batchLength() {
        return options.batchLength();
    }

    long zeroAddress() {
        return zero.address(0);
    }

    LocalKey zeroKey() {
        return zero.key();
    }

    /** Work requests that have arrived: what waits for them may let go of a log. */
    long completed() {
        return queuePair.answered();
    }

    void tell(SenderEvent event) {
        events.add(event);
    }

    /** Frames are there, but the peer's credit is not. */
    void onCreditStall() {
        counters.creditStalls.getAndAddRelease(1);
    }

    /** Stages a batch to be posted at the end of the cycle; false if there is no room. */
    boolean stageBatch(LogPath path, long position, int dataLength, int length) {
        if (queuePair.free() < CommitRule.MAX_WORK_REQUESTS + RESERVED) {
            counters.sendQueueStalls.getAndAddRelease(1);
            return false;
        }
        CommitRule.stage(queuePair, path, position, dataLength, length);
        staged = true;
        stagedBytes += dataLength;
        stagedBatches++;
        return true;
    }

    /**
     * Offers a stream.
     *
     * @return the count of work requests after which the offer has arrived, or -1 if there is no
     *     room now.
     */
    long sendSetup(Setup offer, long position, boolean isResuming) {
        int slot = claimControl(1);
        return slot < 0
                ? -1
                : send(slot, writer.setup(control.buffer(), slot, offer, position, isResuming));
    }

    /**
     * Ends a stream.
     *
     * @param path of an image that gets the final position, or null.
     * @return the count of work requests after which nothing reads the stream's log any more, or -1
     *     if there is no room now.
     */
    long sendClose(LogPath path, long registrationId, long finalPosition) {
        int slot = claimControl(2);
        if (slot < 0) {
            return -1;
        }
        if (path != null) {
            control.buffer().putLong(slot + FINAL_POSITION, finalPosition);
            queuePair.stageSmallWrite(
                    control.address(slot + FINAL_POSITION),
                    Long.BYTES,
                    control.key(),
                    CommitRule.endOfStream(path),
                    path.remoteKey());
        }
        return send(slot, writer.close(control.buffer(), slot, registrationId, finalPosition));
    }

    /**
     * Makes sure that what was posted so far is seen to complete.
     *
     * @return the count of work requests that are awaited, or -1 if there is no room now.
     */
    long sendBarrier() {
        if (queuePair.free() == 0) {
            return -1;
        }
        queuePair.stageWrite(zero.address(0), 0, zero.key(), 0, NO_KEY);
        return post(true);
    }

    /** The peer has broken the protocol. */
    void violated(String reason) {
        if (failure == null) {
            end = LinkEnd.VIOLATION;
        }
        failed("the peer breaks the protocol: " + reason);
    }

    private int claimControl(int workRequests) {
        return queuePair.free() < workRequests || !queuePair.canSend()
                ? -1
                : control.claim(queuePair.completed());
    }

    private long send(int slot, int length) {
        queuePair.stageSend(control.address(slot), length, control.key());
        return post(true);
    }

    private long post(boolean signaled) {
        long before = posted;
        posted = queuePair.post(signaled);
        control.posted(posted);
        counters.posted.getAndAddRelease(posted - before);
        if (stagedBatches > 0) {
            counters.batches.getAndAddRelease(stagedBatches);
            counters.bytes.getAndAddRelease(stagedBytes);
            stagedBatches = 0;
            stagedBytes = 0;
        }
        staged = false;
        return posted;
    }

    private void failed(String reason) {
        if (failure == null) {
            failure = reason;
        }
    }

    // What the queue pair brings

    @Override
    public void onMessage(long address, int length) {
        String wrong = failure == null ? reader.readAnswer(address, length, this) : null;
        if (wrong != null) {
            violated(wrong);
        }
    }

    @Override
    public void onFailure(String reason) {
        failed(reason);
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
            transfer.onAccept(this, logAddress, logKey, position, window, isTagged, groupTag);
        }
    }

    @Override
    public void onWanted(long registrationId) {
        Transfer transfer = woken(registrationId);
        if (transfer != null) {
            transfer.onWanted(this);
        }
    }

    @Override
    public void onDefer(long registrationId) {
        Transfer transfer = woken(registrationId);
        if (transfer != null) {
            transfer.onDefer(this);
        }
    }

    @Override
    public void onReject(long registrationId, RejectCode code, String text) {
        Transfer transfer = woken(registrationId);
        if (transfer != null) {
            transfer.onReject(this, code, text);
        }
    }

    @Override
    public void onImageClosed(long registrationId) {
        Transfer transfer = woken(registrationId);
        if (transfer != null) {
            transfer.onImageClosed(this);
        }
    }

    /** The transfer that a message of the peer is for, which has something to do now; or null. */
    private Transfer woken(long registrationId) {
        Transfer transfer = byRegistration.get(registrationId);
        if (transfer != null) {
            turns.wake(transfer);
        }
        return transfer;
    }

    @Override
    public void onGoodbye() {
        end = LinkEnd.GOODBYE;
        failed("its driver has ended");
    }

    @Override
    public void sayGoodbye() {
        int slot = failure != null ? -1 : claimControl(1);
        if (slot >= 0) {
            goodbyeAt = send(slot, writer.goodbye(control.buffer(), slot));
        }
    }

    @Override
    public boolean isGoodbyeOver() {
        if (failure == null) {
            queuePair.poll(this);
        }
        return failure != null || queuePair.completed() >= goodbyeAt;
    }

    /** Frees the memory of the link. Conductor's thread, after the queue pair is destroyed. */
    @Override
    public void close() {
        control.close();
        zero.close();
    }
}
