// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.ConnectionCounters;
import io.verbus.rdma.common.ControlEncoder;
import io.verbus.rdma.common.LinkEnd;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.SendRing;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.transport.StreamHops;

import java.util.Queue;

/**
 * A stream's interface to its connection: stages batches, sends messages, notifies the conductor,
 * and fails the connection. Shared by all streams of an {@link OutboundLink}; used by the sender
 * after construction.
 */
final class OutboundPort {
    private static final RemoteKey NO_KEY = new RemoteKey(0);

    /** Work requests reserved for control messages and probes. */
    private static final int RESERVED = 4;

    private final OutboundLink link;
    private final QueuePair queuePair;
    private final ConnectionCounters counters;
    private final RdmaOptions options;
    private final int batchLength;
    private final Queue<SenderEvent> events;
    private final SendRing control;
    private final SendRing zero;
    private final ControlEncoder encoder;

    /** First of the streams whose staged bytes are to be sampled, or null. */
    private StreamHops sampled;

    private long nowNs;
    private boolean isStaged;
    private boolean isCompletionRequested;
    private long stagedBytes;
    private long stagedBatches;
    private long posted;
    private String failure;
    private LinkEnd end = LinkEnd.LOST;

    /**
     * @param link link of this port.
     * @param queuePair queue pair of the connection.
     * @param memory memory for messages.
     * @param version protocol version common to the two drivers.
     * @param counters counters of the connection.
     * @param options options of the transport.
     * @param events queue of events to the conductor.
     */
    OutboundPort(
            OutboundLink link,
            QueuePair queuePair,
            OutboundMemory memory,
            int version,
            ConnectionCounters counters,
            RdmaOptions options,
            Queue<SenderEvent> events) {
        this.link = link;
        this.queuePair = queuePair;
        this.counters = counters;
        this.options = options;
        batchLength = (int) Math.min(options.batchLength(), queuePair.maxMessage());
        this.events = events;
        encoder = new ControlEncoder(version);
        zero = memory.zero();
        control = memory.control();
    }

    /** Returns the connection, for events to the conductor. */
    OutboundLink link() {
        return link;
    }

    /** Sets the time of the current duty cycle. */
    void nowNs(long now) {
        nowNs = now;
    }

    /** Returns the time of the current duty cycle. */
    long nowNs() {
        return nowNs;
    }

    long answerTimeoutNs() {
        return options.probeTimeoutNs();
    }

    int batchLength() {
        return batchLength;
    }

    long zeroAddress() {
        return zero.address(0);
    }

    LocalKey zeroKey() {
        return zero.key();
    }

    /**
     * Returns the number of work requests that the peer has answered and that the adapter no longer
     * reads. The logs that they have read may be released.
     */
    long completed() {
        return Math.min(queuePair.answered(), queuePair.completed());
    }

    /** Returns the number of work requests posted so far. */
    long posted() {
        return posted;
    }

    /**
     * Returns the number of work requests whose memory the adapter no longer reads. They have not
     * necessarily arrived: see {@link #completed()}.
     */
    long sent() {
        return queuePair.completed();
    }

    void tell(SenderEvent event) {
        events.add(event);
    }

    /** Counts a stall, in which frames are ready but the peer's credit is exhausted. */
    void onCreditStall() {
        counters.creditStalls.getAndAddRelease(1);
    }

    /**
     * Stages a batch, which is posted at the end of the cycle. Returns false if there is no room.
     */
    boolean stageBatch(LogPath path, long position, int dataLength, int length) {
        if (queuePair.free() < CommitRule.MAX_WORK_REQUESTS + RESERVED) {
            counters.sendQueueStalls.getAndAddRelease(1);
            return false;
        }
        CommitRule.stage(queuePair, path, position, dataLength, length);
        isStaged = true;
        stagedBytes += dataLength;
        stagedBatches++;
        return true;
    }

    /**
     * Adds a stream to the streams whose staged bytes are sampled when they are posted.
     *
     * @param hops sampler of the stream.
     * @param end position at which the bytes end.
     * @param isCommitted whether the word that commits them is staged too.
     */
    void sample(StreamHops hops, long end, boolean isCommitted) {
        sampled = hops.onStaged(sampled, end, isCommitted);
    }

    /** Adds a stream to the streams whose staged commit is sampled when it is posted. */
    void sampleCommit(StreamHops hops) {
        sampled = hops.onCommitStaged(sampled);
    }

    /** Stages a batch without the word that commits it; returns false if there is no room. */
    boolean stageBody(LogPath path, long position, int dataLength, int length) {
        if (queuePair.free() < CommitRule.MAX_WORK_REQUESTS + RESERVED) {
            counters.sendQueueStalls.getAndAddRelease(1);
            return false;
        }
        CommitRule.stageBody(queuePair, path, position, dataLength, length);
        isStaged = true;
        stagedBytes += dataLength;
        stagedBatches++;
        return true;
    }

    /** Stages the word that commits a batch; returns false if there is no room. */
    boolean stageCommit(LogPath path, long position) {
        if (queuePair.free() <= RESERVED) {
            counters.sendQueueStalls.getAndAddRelease(1);
            return false;
        }
        CommitRule.stageCommit(queuePair, path, position);
        isStaged = true;
        return true;
    }

    /**
     * Sends the proof of this driver's key.
     *
     * @return the number of completed work requests at which the proof has arrived, or -1 if there
     *     is no room.
     */
    long sendProof(Proof proof) {
        int slot = claimControl();
        return slot < 0 ? -1 : send(slot, encoder.proof(control.buffer(), slot, proof));
    }

    /**
     * Offers a stream.
     *
     * @return the number of completed work requests at which the offer has arrived, or -1 if there
     *     is no room.
     */
    long sendSetup(Setup offer, long position, boolean isResuming) {
        int slot = claimControl();
        return slot < 0
                ? -1
                : send(slot, encoder.setup(control.buffer(), slot, offer, position, isResuming));
    }

    /**
     * Sends the end of a stream.
     *
     * @param end type of the end.
     * @return the number of completed work requests at which nothing reads the stream's log any
     *     longer, or -1 if there is no room.
     */
    long sendClose(long registrationId, long finalPosition, StreamEnd end) {
        int slot = claimControl();
        return slot < 0
                ? -1
                : send(
                        slot,
                        encoder.close(control.buffer(), slot, registrationId, finalPosition, end));
    }

    /**
     * Ensures that the completion of all work requests posted so far will be observed.
     *
     * @return the number of completed work requests to wait for, or -1 if there is no room.
     */
    long sendBarrier() {
        if (queuePair.free() == 0) {
            return -1;
        }
        queuePair.stageWrite(zero.address(0), 0, zero.key(), 0, NO_KEY);
        return post(true);
    }

    /**
     * Notifies the peer that this driver is closing.
     *
     * @return the number of completed work requests at which the message has arrived, or -1 if
     *     there is no room.
     */
    long sendGoodbye() {
        int slot = claimControl();
        return slot < 0 ? -1 : send(slot, encoder.goodbye(control.buffer(), slot));
    }

    /** Posts a probe, which the peer's adapter or driver answers. */
    void sendProbe() {
        post(true);
    }

    /** Makes the next work request to be posted report its completion. */
    void requestCompletion() {
        isCompletionRequested = true;
    }

    /** Posts the staged work requests. */
    void postStaged() {
        if (isStaged) {
            post(false);
        }
    }

    /** Fails the connection because the peer has violated the protocol. */
    void violated(String reason) {
        if (failure == null) {
            end = LinkEnd.VIOLATION;
        }
        fail("the peer violated the protocol: " + reason);
    }

    /** Fails the connection because the peer's driver has closed. */
    void ended() {
        end = LinkEnd.GOODBYE;
        fail("its driver has shut down");
    }

    /** Fails the connection. If this is called again, only the first reason is kept. */
    void fail(String reason) {
        if (failure == null) {
            failure = reason;
        }
    }

    /** Returns the reason for the connection's failure, or null. */
    String failure() {
        return failure;
    }

    /** Returns how the connection ended, if it has failed. */
    LinkEnd end() {
        return end;
    }

    private int claimControl() {
        return queuePair.free() < 1 || !queuePair.canSend()
                ? -1
                : control.claim(queuePair.completed());
    }

    private long send(int slot, int length) {
        queuePair.stageSend(control.address(slot), length, control.key());
        return post(true);
    }

    private long post(boolean signaled) {
        long before = posted;
        posted = queuePair.post(signaled || isCompletionRequested || sampled != null);
        isCompletionRequested = false;
        if (sampled != null) {
            StreamHops.onPosted(sampled, posted);
            sampled = null;
        }
        control.posted(posted);
        counters.posted.getAndAddRelease(posted - before);
        if (stagedBatches > 0) {
            counters.batches.getAndAddRelease(stagedBatches);
            counters.bytes.getAndAddRelease(stagedBytes);
            counters.allBytes.getAndAddRelease(stagedBytes);
            stagedBatches = 0;
            stagedBytes = 0;
        }
        isStaged = false;
        return posted;
    }
}
