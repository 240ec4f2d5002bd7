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

import java.util.Queue;

/**
 * What a stream needs of its connection: to stage a batch, to send a message, to tell the
 * conductor, and to fail the connection. One for all streams of an {@link OutboundLink}; the
 * sender's, but for making.
 */
final class OutboundPort {
    private static final RemoteKey NO_KEY = new RemoteKey(0);

    /** Work requests kept free of frames, so that control messages and probes always find room. */
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

    private boolean isStaged;
    private long stagedBytes;
    private long stagedBatches;
    private long posted;
    private String failure;
    private LinkEnd end = LinkEnd.LOST;

    /**
     * @param link that this is the port of.
     * @param queuePair of the connection.
     * @param memory of messages.
     * @param version of the protocol in which the two drivers speak.
     * @param counters of the connection.
     * @param options of the transport.
     * @param events to the conductor.
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

    /** The connection, for what the conductor is told. */
    OutboundLink link() {
        return link;
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
        isStaged = true;
        stagedBytes += dataLength;
        stagedBatches++;
        return true;
    }

    /** Stages a batch without the word that commits it; false if there is no room. */
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

    /** Stages the word that commits a batch; false if there is no room. */
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
     * Proves that this driver has the key.
     *
     * @return the count of work requests after which the proof has arrived, or -1 if there is no
     *     room now.
     */
    long sendProof(Proof proof) {
        int slot = claimControl();
        return slot < 0 ? -1 : send(slot, encoder.proof(control.buffer(), slot, proof));
    }

    /**
     * Offers a stream.
     *
     * @return the count of work requests after which the offer has arrived, or -1 if there is no
     *     room now.
     */
    long sendSetup(Setup offer, long position, boolean isResuming) {
        int slot = claimControl();
        return slot < 0
                ? -1
                : send(slot, encoder.setup(control.buffer(), slot, offer, position, isResuming));
    }

    /**
     * Ends a stream.
     *
     * @param end how it ends.
     * @return the count of work requests after which nothing reads the stream's log any more, or -1
     *     if there is no room now.
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

    /**
     * Tells the peer that this driver ends.
     *
     * @return the count of work requests after which the message has arrived, or -1 if there is no
     *     room now.
     */
    long sendGoodbye() {
        int slot = claimControl();
        return slot < 0 ? -1 : send(slot, encoder.goodbye(control.buffer(), slot));
    }

    /** Sends a probe, which the peer's adapter or driver answers. */
    void sendProbe() {
        post(true);
    }

    /** Posts what is staged. */
    void postStaged() {
        if (isStaged) {
            post(false);
        }
    }

    /** The peer has broken the protocol. */
    void violated(String reason) {
        if (failure == null) {
            end = LinkEnd.VIOLATION;
        }
        fail("the peer breaks the protocol: " + reason);
    }

    /** The peer's driver has ended. */
    void ended() {
        end = LinkEnd.GOODBYE;
        fail("its driver has ended");
    }

    /** The connection has failed; what comes later does not count. */
    void fail(String reason) {
        if (failure == null) {
            failure = reason;
        }
    }

    /** Why the connection has failed, or null. */
    String failure() {
        return failure;
    }

    /** How the connection has ended, where it has failed. */
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
        posted = queuePair.post(signaled);
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
