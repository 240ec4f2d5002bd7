// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tether;

import io.verbus.driver.config.UntetheredTimeouts;

/**
 * What becomes of a subscriber that does not hold its stream back, where it is too far behind.
 * Conductor's thread.
 *
 * <pre>
 *   ACTIVE ──behind for the window limit──▶ LINGERING ──linger──▶ RESTING ──resting──▶ ACTIVE
 *                                                         └─ does not rejoin ─▶ GONE
 * </pre>
 *
 * An active subscriber reads. A lingering one was told to stop, and its position still counts for
 * what it is about to read. The position of one that rests counts no more.
 */
public final class Untethered {
    /** What a subscriber does. */
    public enum State {
        ACTIVE,
        LINGERING,
        RESTING,
        GONE
    }

    /** What is to be done about a subscriber. */
    public enum Step {
        /** Nothing. */
        NONE,
        /** Its client is told that the image is unavailable. */
        LET_GO,
        /** Its position counts no more. */
        DISCOUNT,
        /** It joins again; followed by {@link #joined}. */
        JOIN
    }

    private final UntetheredTimeouts timeouts;
    private final boolean rejoins;
    private State state = State.ACTIVE;

    /** Monotonic time since which the subscriber is in its state, or is behind. */
    private long sinceNs;

    /** Whether that time has begun. */
    private boolean isTimed;

    public Untethered(UntetheredTimeouts timeouts, boolean rejoins) {
        this.timeouts = timeouts;
        this.rejoins = rejoins;
    }

    public State state() {
        return state;
    }

    /**
     * Looks at the subscriber.
     *
     * @param nowNs monotonic time.
     * @param position that it has read up to.
     * @param limit position that it must be past.
     * @param isAwaited whether one that rests is to join at once.
     * @return what is to be done now.
     */
    public Step step(long nowNs, long position, long limit, boolean isAwaited) {
        boolean isInTime = state == State.ACTIVE && position > limit;
        if (!isTimed || isInTime) {
            sinceNs = nowNs;
            isTimed = true;
        }
        long elapsedNs = nowNs - sinceNs;
        switch (state) {
            case ACTIVE -> {
                if (!isInTime && elapsedNs >= timeouts.windowLimitNs()) {
                    enter(State.LINGERING, nowNs);
                    return Step.LET_GO;
                }
            }
            case LINGERING -> {
                if (elapsedNs >= timeouts.lingerNs()) {
                    enter(afterLinger(), nowNs);
                    return Step.DISCOUNT;
                }
            }
            case RESTING -> {
                if (isAwaited || elapsedNs >= timeouts.restingNs()) {
                    return Step.JOIN;
                }
            }
            case GONE -> {}
        }
        return Step.NONE;
    }

    private State afterLinger() {
        return rejoins ? State.RESTING : State.GONE;
    }

    private void enter(State next, long nowNs) {
        state = next;
        sinceNs = nowNs;
    }

    /** Its position cannot be believed: does not count from now on. */
    public void discounted() {
        state = afterLinger();
        isTimed = false;
    }

    /** It reads again. */
    public void joined() {
        state = State.ACTIVE;
        isTimed = false;
    }
}
