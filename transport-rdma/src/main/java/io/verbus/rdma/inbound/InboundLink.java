// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.ConnectionCounters;
import io.verbus.rdma.common.ControlDecoder;
import io.verbus.rdma.common.ControlEncoder;
import io.verbus.rdma.common.CreditLine;
import io.verbus.rdma.common.Goodbye;
import io.verbus.rdma.common.LinkEnd;
import io.verbus.rdma.common.PlacementProbe;
import io.verbus.rdma.common.Probe;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.SendRing;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.transport.RoundRobin;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * The receiver's end of one connection: passes the peer's messages to the conductor, sends the
 * conductor's answers, and grants credit. Created by the conductor; used only by the receiver
 * between attachment and release.
 */
final class InboundLink
        implements QueuePair.Handler,
                ControlDecoder.Offers,
                RoundRobin.Turn<CreditGrant>,
                Goodbye.Sayer {
    private static final int MAX_DRAIN_POLLS = 64;

    /** Work requests reserved for answers and probes, not used for credit. */
    private static final int RESERVED = 4;

    private final QueuePair queuePair;
    private final ConnectionCounters counters;
    private final RdmaOptions options;
    private final Queue<ReceiverEvent> events;
    private final SendRing control;
    private final SendRing credit;
    private final Probe probe;

    /** The probe if each side waits for the other's confirmation; otherwise null. */
    private final PlacementProbe placement;

    private final boolean isCreditInline;
    private final int maxUnhandled;
    private final ControlDecoder reader = new ControlDecoder();
    private final ControlEncoder writer;
    private final ArrayDeque<ReceiverCommand.Answer> answers = new ArrayDeque<>();

    private final RoundRobin<CreditGrant> grants;
    private boolean isStaged;
    private long posted;
    private long handedOver;
    private String failure;
    private LinkEnd end = LinkEnd.LOST;

    /** Reason to end the link once everything is answered, or null. */
    private String leaving;

    /** Ends of streams read after the release; null before the release. */
    private List<ReceiverEvent.Closed> last;

    /** Number of completed work requests after which the peer has every answer. */
    private long answeredAt;

    /** Number of events that the conductor has handled. Writer: conductor. Reader: receiver. */
    private volatile long handled;

    InboundLink(
            QueuePair queuePair,
            InboundMemory memory,
            int version,
            ConnectionCounters counters,
            RdmaOptions options,
            Queue<ReceiverEvent> events,
            boolean confirms,
            long nowNs) {
        this.queuePair = queuePair;
        this.counters = counters;
        this.options = options;
        this.events = events;
        writer = new ControlEncoder(version);
        this.isCreditInline = queuePair.maxInline() >= CreditLine.WRITTEN_LENGTH;
        this.maxUnhandled = 2 * options.maxStreams() + options.receiveDepth();
        control = memory.control();
        credit = memory.credit();
        long intervalNs = options.statusIntervalNs();
        long timeoutNs = options.probeTimeoutNs();
        placement = confirms ? new PlacementProbe(queuePair, intervalNs, timeoutNs, nowNs) : null;
        probe = confirms ? placement : new Probe(intervalNs, timeoutNs, nowNs);
        grants = new RoundRobin<>(options.idleAfterNs(), nowNs);
    }

    /**
     * Runs one duty cycle.
     *
     * @param nowNs time of the cycle.
     * @return the work count.
     */
    int work(long nowNs) {
        int completions = queuePair.poll(this);
        int work = completions;
        if (completions > 0) {
            counters.completions.getAndAddRelease(completions);
        }
        while (failure == null && !answers.isEmpty() && send(answers.peek(), nowNs)) {
            answers.poll();
            work++;
        }
        if (failure == null) {
            work += grant(nowNs);
            finishCycle(nowNs);
        }
        if (leaving != null && answers.isEmpty() && queuePair.answered() >= answeredAt) {
            failed(leaving);
        }
        return work;
    }

    /** Returns the probe that confirms writes; null if the order of writes is trusted. */
    PlacementProbe placement() {
        return placement;
    }

    private int grant(long nowNs) {
        int work = grants.go(this, nowNs);
        if (work > 0) {
            counters.batches.getAndAddRelease(work);
            counters.bytes.getAndAddRelease((long) work * CreditLine.WRITTEN_LENGTH);
        }
        return work;
    }

    /** Runs an image's turn. */
    @Override
    public int take(CreditGrant grant, long nowNs) {
        long position = grant.due(nowNs, options.statusIntervalNs());
        if (position < 0) {
            return 0;
        }
        if (!stageCredit(grant, position, nowNs)) {
            counters.sendQueueStalls.getAndAddRelease(1);
            return RoundRobin.STOP;
        }
        return 1;
    }

    private boolean stageCredit(CreditGrant grant, long position, long nowNs) {
        if (queuePair.free() <= RESERVED) {
            return false;
        }
        int slot = credit.claim(queuePair.completed());
        if (slot < 0) {
            return false;
        }
        credit.buffer().putLong(slot + CreditLine.POSITION, position);
        credit.buffer().putLong(slot + CreditLine.TIME, nowNs);
        queuePair.stageWrite(
                credit.address(slot),
                CreditLine.WRITTEN_LENGTH,
                credit.key(),
                grant.creditAddress(),
                grant.creditKey());
        isStaged = true;
        grant.granted(position, nowNs);
        return true;
    }

    private void finishCycle(long nowNs) {
        long answered = queuePair.answered();
        if (probe.isMissed(nowNs, answered)) {
            failed(probe.missed());
        } else if (probe.isDue(nowNs, answered)) {
            probe.sent(nowNs, queuePair.stageProbe());
            post(true);
        } else if (isStaged) {
            post(false);
        }
    }

    /** Queues an answer to the peer. */
    void answer(ReceiverCommand.Answer answer) {
        if (leaving == null) {
            answers.add(answer);
        }
    }

    /** Ends the link at the conductor's request, once the peer has all answers. */
    void leave(String reason) {
        leaving = reason;
    }

    private boolean send(ReceiverCommand.Answer answer, long nowNs) {
        int slot = claimControl();
        if (slot < 0) {
            return false;
        }
        int length =
                switch (answer) {
                    case ReceiverCommand.Accept accept -> {
                        CreditGrant grant = accept.grant();
                        grant.begin(nowNs);
                        grants.add(grant);
                        yield writer.accept(
                                control.buffer(),
                                slot,
                                grant.registrationId(),
                                accept.logAddress(),
                                accept.logKey(),
                                grant.startPosition(),
                                grant.window(),
                                accept.groupTag());
                    }
                    case ReceiverCommand.Defer defer ->
                            writer.defer(
                                    control.buffer(),
                                    slot,
                                    defer.registrationId(),
                                    defer.streams());
                    case ReceiverCommand.Wanted wanted ->
                            writer.wanted(control.buffer(), slot, wanted.registrationId());
                    case ReceiverCommand.Again again -> {
                        remove(again.registrationId());
                        yield writer.again(control.buffer(), slot, again.registrationId());
                    }
                    case ReceiverCommand.Reject reject ->
                            writer.reject(
                                    control.buffer(),
                                    slot,
                                    reject.registrationId(),
                                    reject.code(),
                                    reject.text());
                    case ReceiverCommand.ResponseSession session ->
                            writer.responseSession(
                                    control.buffer(),
                                    slot,
                                    session.registrationId(),
                                    session.sessionId());
                    case ReceiverCommand.ImageClosed closed -> {
                        remove(closed.registrationId());
                        yield writer.imageClosed(control.buffer(), slot, closed.registrationId());
                    }
                };
        queuePair.stageSend(control.address(slot), length, control.key());
        answeredAt = post(true);
        return true;
    }

    private int claimControl() {
        return queuePair.free() < 1 || !queuePair.canSend()
                ? -1
                : control.claim(queuePair.completed());
    }

    private void remove(long registrationId) {
        for (int i = grants.count() - 1; i >= 0; i--) {
            CreditGrant grant = grants.get(i);
            if (grant.registrationId() == registrationId) {
                grants.remove(grant);
            }
        }
    }

    private long post(boolean signaled) {
        long before = posted;
        posted = queuePair.post(signaled || !isCreditInline);
        control.posted(posted);
        // Inline data was already read when the post returned.
        credit.posted(isCreditInline ? 0 : posted);
        counters.posted.getAndAddRelease(posted - before);
        isStaged = false;
        return posted;
    }

    /** Returns whether the connection has failed, in which case {@link #release} is due. */
    boolean hasFailed() {
        return failure != null;
    }

    /**
     * Reads the messages that arrived after the receiver released the queue pair, which no longer
     * accepts any. Called on the thread that closes the connection.
     *
     * @return the streams that the peer has ended.
     */
    List<ReceiverEvent.Closed> readLast() {
        last = new ArrayList<>();
        drain();
        return last;
    }

    /** Releases the queue pair at the conductor's request. */
    void detach(String reason) {
        drain();
        failed(reason);
        release();
    }

    /** Releases the queue pair: this side no longer uses it. */
    void release() {
        drain();
        while (grants.count() > 0) {
            grants.remove(grants.get(grants.count() - 1));
        }
        answers.clear();
        events.add(new ReceiverEvent.Released(this, failure, end));
    }

    /**
     * Reads the messages that arrived before the end. A Close among them still counts, because the
     * peer knows that it has arrived.
     */
    private void drain() {
        for (int i = 0; i < MAX_DRAIN_POLLS && queuePair.poll(this) > 0; i++) {
            continue;
        }
    }

    private void failed(String reason) {
        if (failure == null) {
            failure = reason;
        }
    }

    private void violated(String reason) {
        if (failure == null) {
            end = LinkEnd.VIOLATION;
        }
        failed("the peer violated the protocol: " + reason);
    }

    // Events of the queue pair

    @Override
    public void onMessage(long address, int length) {
        if (end != LinkEnd.LOST) {
            return;
        }
        String wrong = reader.readOffer(address, length, this);
        if (wrong != null) {
            violated(wrong);
        }
    }

    @Override
    public void onFailure(String reason) {
        failed(reason);
    }

    @Override
    public void onProof(Proof proof) {
        if (last == null) {
            handOver(new ReceiverEvent.Proved(this, proof));
        }
    }

    @Override
    public void onSetup(Setup offer) {
        if (last == null) {
            handOver(new ReceiverEvent.Offered(this, offer));
        }
    }

    @Override
    public void onClose(long registrationId, long finalPosition, StreamEnd streamEnd) {
        ReceiverEvent.Closed closed =
                new ReceiverEvent.Closed(this, registrationId, finalPosition, streamEnd);
        if (last == null) {
            handOver(closed);
        } else {
            last.add(closed);
        }
    }

    @Override
    public void onGoodbye() {
        end = LinkEnd.GOODBYE;
        failed("its driver has shut down");
    }

    /**
     * Passes an event to the conductor. A peer that sends faster than the conductor handles events
     * must not fill this driver's memory.
     */
    private void handOver(ReceiverEvent event) {
        if (handedOver - handled >= maxUnhandled || answers.size() >= maxUnhandled) {
            violated("the peer floods this driver with control messages");
            return;
        }
        handedOver++;
        events.add(event);
    }

    /**
     * Counts an event of this link that the conductor has handled. Called by the conductor's
     * thread.
     */
    void onHandled() {
        handled = handled + 1;
    }

    @Override
    public void sayGoodbye() {
        int slot = failure != null ? -1 : claimControl();
        if (slot >= 0) {
            queuePair.stageSend(
                    control.address(slot), writer.goodbye(control.buffer(), slot), control.key());
            answeredAt = post(true);
        }
    }

    @Override
    public boolean isGoodbyeOver() {
        if (failure == null) {
            queuePair.poll(this);
        }
        return failure != null || queuePair.completed() >= answeredAt;
    }
}
