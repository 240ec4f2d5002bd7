// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.FlowChoice;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.transport.OutboundStream;

import org.agrona.collections.ArrayUtil;

import java.util.Queue;

/**
 * Combines the destinations of one publication: determines how far publishers may append, and from
 * which position the log is kept. Used by the sender's thread.
 *
 * <pre>
 *    floor          lowest           base                       limit
 *  ----+---------------+---------------+--------------------------+-----
 *      |  pinned only  |  for slower   |  window of those that    |
 *      |               |  receivers    |  decide, a term at most  |
 *  ----+---------------+---------------+--------------------------+-----
 *                      |◀─ at most LogCleaner.retainable ───────▶|
 * </pre>
 *
 * <p>Depending on the strategy, base and limit are those of the slowest connected destination, of
 * the fastest, or of the slowest that has the tag. Other destinations may lag behind the base as
 * far as the log reaches back. A destination that lags further is dropped and restarted at the
 * current position, unless it was only just accepted: publishers then wait until it has caught up.
 * What the log cannot retain gives the sender time to end a dropped destination's stream while
 * publishers continue.
 *
 * <p>Invariant: nothing before the floor is sent, and nothing from the floor onwards is reused. A
 * work request never reads before the position that its destination has released, and the floor
 * does not pass that position while a work request may be outstanding.
 */
final class FanOut {
    private static final FanOutDestination[] NONE = new FanOutDestination[0];

    private enum Decider {
        MIN,
        MAX,
        TAGGED
    }

    /** Tag used for {@code fc=tagged} in Aeron channels that name no tag. */
    private static final long UNNAMED_TAG = -1;

    private final OutboundStream stream;
    private final Decider decider;
    private final long tag;
    private final int groupSize;
    private final int termLength;
    private final Queue<SenderEvent> events;
    private FanOutDestination[] branches = NONE;
    private long floor;
    private boolean isConnected;

    /**
     * Position at which a new destination joins under {@code max}; null under the other strategies.
     */
    private final StartingPoint start;

    /**
     * @param stream stream of the publication.
     * @param events queue of events to the conductor.
     */
    FanOut(OutboundStream stream, Queue<SenderEvent> events) {
        this.stream = stream;
        this.events = events;
        FlowChoice flow = stream.channel().flow();
        tag = flow == null ? 0 : flow.tag().orElse(UNNAMED_TAG);
        decider = decider(flow);
        groupSize = flow == null ? 1 : Math.max(1, flow.groupSize().orElse(1));
        termLength = stream.log().spec().termLength();
        start =
                decider == Decider.MAX
                        ? new StartingPoint(stream.senderPosition(), termLength)
                        : null;
    }

    private static Decider decider(FlowChoice flow) {
        if (flow == null) {
            return Decider.MIN;
        }
        return switch (flow.strategy()) {
            case MIN -> Decider.MIN;
            case MAX -> Decider.MAX;
            case TAGGED -> Decider.TAGGED;
        };
    }

    boolean isTag(long other) {
        return decider == Decider.TAGGED && tag == other;
    }

    void tell(SenderEvent event) {
        events.add(event);
    }

    /** Returns the position from which the log is kept. */
    long floor() {
        return Math.max(floor, stream.releasedPosition());
    }

    /**
     * Returns the position at which a new destination joins. Under flow control {@code max}, this
     * is the first position that no destination has consumed, if the log still contains it;
     * otherwise it is the current position.
     */
    long offerPosition() {
        long current = stream.senderPosition();
        return start == null || start.position() < floor() ? current : start.position();
    }

    /**
     * Called when a receiver no longer subscribes. If it was the last receiver, the next one starts
     * at the current position; after a failure, by contrast, the next one starts where the stream
     * was.
     */
    void onUnsubscribed() {
        if (start != null && !isAnyMember()) {
            start.restart(stream.senderPosition());
        }
    }

    /** Records the position up to which the publication was sent. */
    void sent(long position) {
        if (start != null) {
            start.sent(position);
        }
    }

    /** Returns the maximum number of bytes to send in one batch. */
    int maxBatch() {
        return start == null ? Integer.MAX_VALUE : start.maxBatch();
    }

    private boolean isAnyMember() {
        for (FanOutDestination branch : branches) {
            if (branch.isMember()) {
                return true;
            }
        }
        return false;
    }

    /** Adds a destination to which the stream is offered. */
    void join(FanOutDestination branch) {
        for (FanOutDestination known : branches) {
            if (known == branch) {
                return;
            }
        }
        branches = ArrayUtil.add(branches, branch);
    }

    /** Reports up to which position the log was read for all destinations. */
    void updateReads() {
        long lowest = FanOutDestination.NOTHING;
        FanOutDestination[] all = branches;
        for (int i = 0; i < all.length; i++) {
            lowest = Math.min(lowest, all[i].readTo());
        }
        stream.onLogRead(lowest);
    }

    /** Recomputes floor, limit and connection state after a destination has changed. */
    void update() {
        updateReads();
        long base = -1;
        long limit = -1;
        int deciding = 0;
        boolean isAnyAwaited = false;
        boolean isAnyGone = false;
        FanOutDestination[] all = branches;
        for (int i = 0; i < all.length; i++) {
            FanOutDestination branch = all[i];
            isAnyAwaited |= branch.isAwaited();
            isAnyGone |= branch.isDropped() && !branch.isKept();
            if (decides(branch)) {
                long consumed = branch.need();
                long end = consumed + Math.min(branch.window(), termLength);
                boolean isFirst = base < 0;
                deciding++;
                base = isFirst ? consumed : pick(base, consumed);
                limit = isFirst ? end : pick(limit, end);
            }
        }
        if (base >= 0) {
            release(base, limit);
            connected(deciding >= groupSize);
        } else {
            // Reports a connection in order to hold the log while a receiver is awaited.
            connected(isAnyAwaited && stream.goesOnWithoutReceivers());
        }
        if (isAnyGone) {
            removeGone();
        }
    }

    private boolean decides(FanOutDestination branch) {
        return branch.isMember() && (decider != Decider.TAGGED || branch.isTagged());
    }

    private long pick(long one, long other) {
        return decider == Decider.MAX ? Math.max(one, other) : Math.min(one, other);
    }

    private void release(long base, long limit) {
        long lowest = limit - LogCleaner.retainable(termLength);
        long kept = base;
        long end = limit;
        if (start != null) {
            start.released(base);
            if (start.position() >= lowest) {
                kept = Math.min(kept, start.position());
            }
        }
        for (int i = 0; i < branches.length; i++) {
            FanOutDestination branch = branches[i];
            if (branch.need() >= lowest) {
                branch.caughtUp();
            } else if (branch.isCatchingUp()) {
                end = Math.min(end, branch.need() + (base - lowest));
            } else {
                branch.fallBehind();
            }
            if (branch.need() >= lowest || branch.isKept()) {
                kept = Math.min(kept, branch.need());
            }
        }
        floor = Math.max(floor(), kept);
        stream.onReleased(floor, Math.max(0, Math.min(end - floor, 2L * termLength)));
    }

    private void connected(boolean connected) {
        if (connected != isConnected) {
            isConnected = connected;
            stream.onConnected(connected);
        }
    }

    private void removeGone() {
        for (FanOutDestination branch : branches) {
            if (branch.isDropped() && !branch.isKept()) {
                branches = ArrayUtil.remove(branches, branch);
            }
        }
    }
}
