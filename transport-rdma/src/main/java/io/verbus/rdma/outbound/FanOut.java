// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.FlowChoice;
import io.verbus.transport.OutboundStream;

import org.agrona.collections.ArrayUtil;

import java.util.Queue;

/**
 * What the destinations of one publication are together: how far it may be appended to, and from
 * where on its log is kept. Sender's thread.
 *
 * <pre>
 *    floor          lowest           base                       limit
 *  ----+---------------+---------------+--------------------------+-----
 *      |  pinned only  | for whoever   |  window of those that    |
 *      |               | is slower     |  decide, a term at most  |
 *  ----+---------------+---------------+--------------------------+-----
 *                      |◀─ two terms, less a quarter ────────────▶|
 * </pre>
 *
 * Base and limit are those of the slowest destination that is connected, of the fastest, or of the
 * slowest that has a tag. Others may be behind the base as far as the log goes; who is further is
 * left: it is set up anew where the publication is then. One that was accepted and is further
 * catches up first, for which publishers wait. The quarter of a term that is spared lets the
 * conductor clean, and a destination that is left be told so, while publishers go on.
 *
 * <p>Invariant: nothing behind the floor is sent, and nothing from the floor on is reused. A work
 * request reads no earlier than what its destination has released, and the floor does not pass that
 * while a work request may be outstanding.
 */
final class FanOut {
    private static final FanOutDestination[] NONE = new FanOutDestination[0];

    private enum Decider {
        MIN,
        MAX,
        TAGGED
    }

    /** Tag of {@code fc=tagged} where a channel of Aeron names none. */
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
     * @param stream of the publication.
     * @param events for the conductor.
     */
    FanOut(OutboundStream stream, Queue<SenderEvent> events) {
        this.stream = stream;
        this.events = events;
        FlowChoice flow = stream.channel().flow();
        tag = flow == null ? 0 : flow.tag().orElse(UNNAMED_TAG);
        decider = decider(flow);
        groupSize = flow == null ? 1 : Math.max(1, flow.groupSize().orElse(1));
        termLength = stream.log().spec().termLength();
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

    /** Position from which on the log holds everything. */
    long floor() {
        return Math.max(floor, stream.releasedPosition());
    }

    /** A destination is offered the stream. */
    void join(FanOutDestination branch) {
        for (FanOutDestination known : branches) {
            if (known == branch) {
                return;
            }
        }
        branches = ArrayUtil.add(branches, branch);
    }

    /** What one destination needs, or whether it is there, has changed. */
    void update() {
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
            // Whoever takes the stream meanwhile waits.
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
        long lowest = base - (2L * termLength - (limit - base) - termLength / 4);
        long kept = base;
        long end = limit;
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
