// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.cnc.HopRecorder;

/**
 * Samples the hops of one stream to one destination, at a limited rate, with one open sample per
 * hop. The sender's thread calls the methods while it sends the stream, and passes the times of its
 * duty cycles; the clock is read in addition only when a sample begins or ends. Allocates nothing.
 *
 * <pre>
 *   committed ─ sight ─ post ────────────────▶ arrival ─ consumption ──▶ credit, status message
 *   └────── sender ──────┘                        └───── subscriber ────────┘
 *                        └─ fabric, RDMA only ─▶ acknowledgement
 * </pre>
 */
public final class StreamHops {
    /** Time after which the answer to a round-trip request counts as lost. */
    private static final long ANSWER_TIMEOUT_NS = 1_000_000_000;

    /**
     * Minimum interval between round-trip requests: receivers ignore a request within 10 ms of the
     * previous one.
     */
    private static final long MIN_QUESTION_INTERVAL_NS = 20_000_000;

    private final HopRecorder sender;

    /** Recorder of the RDMA fabric, or of the UDP round trip. */
    private final HopRecorder wire;

    private final HopRecorder subscriber;
    private final long intervalNs;
    private final long reportIntervalNs;
    private long turnNs;
    private long previousTurnNs;
    private long dueNs;

    /**
     * Number of answered work requests at which the wire's sample ends; for UDP, the open
     * round-trip request.
     */
    private long awaited;

    /** Number of answered work requests at which the subscriber's sample has started. */
    private long arrival;

    private boolean isArrivalAwaited;

    /** Position that ends the subscriber's sample. */
    private long target;

    /** Longest round trip of the last request; -1 if unknown. */
    private long roundTripNs = -1;

    private long questionDueNs;
    private long reporter;
    private long reportedNs;

    /** Next stream in the list of streams with staged bytes. */
    private StreamHops next;

    private boolean isLinked;

    /** Whether sampled bytes are staged, their end, and whether their commit is staged too. */
    private boolean isStaged;

    private long staged;
    private boolean isStagedCommitted;

    /** Whether the sampled bytes are posted but their commit is not. */
    private boolean isCommitAwaited;

    private boolean isCommitStaged;

    /**
     * @param sender recorder of the sender's hop.
     * @param wire recorder of the fabric or the round trip.
     * @param subscriber recorder of the subscriber's hop.
     * @param intervalNs minimum interval between samples of a hop.
     * @param reportIntervalNs time within which receivers report what they have consumed.
     * @param nowNs monotonic time.
     */
    public StreamHops(
            HopRecorder sender,
            HopRecorder wire,
            HopRecorder subscriber,
            long intervalNs,
            long reportIntervalNs,
            long nowNs) {
        this.sender = sender;
        this.wire = wire;
        this.subscriber = subscriber;
        this.intervalNs = intervalNs;
        this.reportIntervalNs = reportIntervalNs;
        turnNs = nowNs;
        previousTurnNs = nowNs;
        dueNs = nowNs;
        questionDueNs = nowNs;
        reportedNs = nowNs;
    }

    /** Returns the recorder of the sender's hop. */
    public HopRecorder sender() {
        return sender;
    }

    /** Returns the recorder of the fabric or the round trip. */
    public HopRecorder wire() {
        return wire;
    }

    /** Returns the recorder of the subscriber's hop. */
    public HopRecorder subscriber() {
        return subscriber;
    }

    /** Begins a turn of the stream. */
    public void onTurn(long nowNs) {
        previousTurnNs = turnNs;
        turnNs = nowNs;
    }

    /**
     * Called when this turn has found bytes that may be sent now. Begins a sample if one is due.
     *
     * @return whether a sample of the sender's hop is open.
     */
    public boolean onSight() {
        if (!sender.isOpen() && turnNs - dueNs >= 0) {
            dueNs = turnNs + intervalNs;
            sender.begin(previousTurnNs, sender.nowNs());
        }
        return sender.isOpen();
    }

    /**
     * Adds the stream to a list because its sampled bytes are staged.
     *
     * @param first first stream of the list, or null.
     * @param end position at which the sampled bytes end.
     * @param isCommitted whether the word that commits them is staged too; otherwise {@link
     *     #onCommitStaged} follows.
     * @return first stream of the list.
     */
    public StreamHops onStaged(StreamHops first, long end, boolean isCommitted) {
        isStaged = true;
        staged = end;
        isStagedCommitted = isCommitted;
        return link(first);
    }

    /** Returns whether the commit of sampled bytes is to be sampled. */
    public boolean isCommitAwaited() {
        return isCommitAwaited;
    }

    /**
     * Adds the stream to a list because the commit of its sampled bytes is staged.
     *
     * @param first first stream of the list, or null.
     * @return first stream of the list.
     */
    public StreamHops onCommitStaged(StreamHops first) {
        isCommitAwaited = false;
        isCommitStaged = true;
        return link(first);
    }

    private StreamHops link(StreamHops first) {
        if (isLinked) {
            return first;
        }
        isLinked = true;
        next = first;
        return this;
    }

    /**
     * Called when the work requests staged for a list of streams are posted.
     *
     * @param first first stream of the list; not null.
     * @param count number of answered work requests at which the sampled bytes have arrived.
     */
    public static void onPosted(StreamHops first, long count) {
        long nowNs = first.sender.nowNs();
        StreamHops hops = first;
        while (hops != null) {
            hops.onPosted(count, nowNs);
            StreamHops following = hops.next;
            hops.next = null;
            hops.isLinked = false;
            hops = following;
        }
    }

    private void onPosted(long count, long nowNs) {
        if (isCommitStaged) {
            isCommitStaged = false;
            beginSubscriber(count, nowNs);
        }
        if (!isStaged) {
            return;
        }
        isStaged = false;
        sender.end(nowNs, nowNs, 0);
        if (!wire.isOpen()) {
            wire.begin(nowNs, nowNs);
            awaited = count;
        }
        if (!subscriber.isOpen() && !isCommitAwaited) {
            target = staged;
            if (isStagedCommitted) {
                beginSubscriber(count, nowNs);
            } else {
                isCommitAwaited = true;
            }
        }
    }

    private void beginSubscriber(long count, long nowNs) {
        subscriber.begin(nowNs, Long.MAX_VALUE);
        arrival = count;
        isArrivalAwaited = true;
    }

    /**
     * Handles the number of work requests that the peer has answered, as first seen in this turn.
     */
    public void onAnswered(long answered) {
        boolean isWireOver = wire.isOpen() && answered >= awaited;
        boolean hasArrived = isArrivalAwaited && answered >= arrival;
        if (isWireOver || hasArrived) {
            long nowNs = wire.nowNs();
            if (isWireOver) {
                wire.end(previousTurnNs, nowNs, 0);
            }
            if (hasArrived) {
                isArrivalAwaited = false;
                subscriber.startedBy(nowNs);
            }
        }
    }

    /**
     * Called when datagrams were sent.
     *
     * @param end position up to which the stream is sent.
     */
    public void onSent(long end) {
        long nowNs = sender.nowNs();
        sender.end(nowNs, nowNs, 0);
        if (!subscriber.isOpen()) {
            subscriber.begin(nowNs, roundTripNs < 0 ? Long.MAX_VALUE : nowNs + roundTripNs);
            target = end;
        }
    }

    /** Handles a report of the consumed position that was first seen in this turn. */
    public void onReleased(long position) {
        onReleased(position, previousTurnNs, 0);
    }

    /**
     * Handles a report of the consumed position.
     *
     * @param position consumed position.
     * @param notBefore time before which the report did not arrive.
     * @param by id of the receiver that reports.
     */
    public void onReleased(long position, long notBefore, long by) {
        if (subscriber.isOpen() && position >= target) {
            // The receiver's last report was below the target, and receivers report consumption
            // within the interval.
            long consumed = notBefore - reportIntervalNs;
            if (by == reporter) {
                consumed = Math.max(consumed, reportedNs);
            }
            isArrivalAwaited = false;
            subscriber.end(consumed, subscriber.nowNs(), by);
        }
        reporter = by;
        reportedNs = notBefore;
    }

    /** Returns whether to send a round-trip request. */
    public boolean isQuestionDue(long nowNs) {
        return wire.isOpen() ? nowNs - awaited >= ANSWER_TIMEOUT_NS : nowNs - questionDueNs >= 0;
    }

    /** Begins a round trip; returns the number of the request. */
    public long question() {
        awaited = wire.nowNs();
        questionDueNs = awaited + Math.max(intervalNs, MIN_QUESTION_INTERVAL_NS);
        wire.begin(awaited, awaited);
        return awaited;
    }

    /**
     * Handles an answer.
     *
     * @param question number of the answered request.
     * @param delayNs time that the receiver took, in nanoseconds.
     * @param notBefore time before which the answer did not arrive.
     * @param by id of the receiver.
     * @return whether the answered request is the open one.
     */
    public boolean onAnswer(long question, long delayNs, long notBefore, long by) {
        if (!wire.isOpen() || question != awaited) {
            return false;
        }
        long nowNs = wire.nowNs();
        if (delayNs < 0 || delayNs > nowNs - awaited) {
            wire.cancel();
        } else {
            roundTripNs = nowNs - awaited - delayNs;
            wire.end(notBefore - delayNs, nowNs - delayNs, by);
        }
        return true;
    }

    /** Returns whether an answer to sampled bytes is awaited, which must be seen immediately. */
    public boolean isWaiting() {
        return wire.isOpen() || subscriber.isOpen();
    }

    /** Discards open samples, because the connection is lost or the stream starts over. */
    public void reset() {
        sender.cancel();
        wire.cancel();
        subscriber.cancel();
        isArrivalAwaited = false;
        isStaged = false;
        isCommitAwaited = false;
        isCommitStaged = false;
        isLinked = false;
        next = null;
    }
}
