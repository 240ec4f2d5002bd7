// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import io.verbus.driver.config.UntetheredTimeouts;

/**
 * State machine of an untethered subscriber, which is detached if it is too far behind. Used by the
 * conductor's thread.
 *
 * <pre>
 *   ACTIVE ──behind for the window limit──▶ LINGERING ──linger──▶ RESTING ──resting──▶ ACTIVE
 *                                                         └─ does not rejoin ─▶ GONE
 * </pre>
 *
 * An active subscriber reads. A lingering subscriber was asked to stop, but its position still
 * counts, because it may still be reading. A resting subscriber's position no longer counts.
 */
final class Untethered {
    /** State of a subscriber. */
    enum State {
        ACTIVE,
        LINGERING,
        RESTING,
        GONE
    }

    /** Action to take for a subscriber. */
    enum Step {
        /** Nothing. */
        NONE,
        /** Notify the subscriber's client that the image is unavailable. */
        LET_GO,
        /** Stop counting the subscriber's position. */
        DISCOUNT,
        /** Rejoin the subscriber, then call {@link #joined}. */
        JOIN
    }

    private final UntetheredTimeouts timeouts;
    private final boolean rejoins;
    private State state = State.ACTIVE;

    /** Monotonic time at which the state began, or at which an active subscriber fell behind. */
    private long sinceNs;

    /** Whether {@link #sinceNs} is set. */
    private boolean isTimed;

    Untethered(UntetheredTimeouts timeouts, boolean rejoins) {
        this.timeouts = timeouts;
        this.rejoins = rejoins;
    }

    State state() {
        return state;
    }

    /**
     * Advances the subscriber's state.
     *
     * @param nowNs monotonic time.
     * @param position position up to which the subscriber has read.
     * @param limit position that the subscriber must have passed.
     * @param isAwaited whether a resting subscriber should rejoin immediately.
     * @return the action to take.
     */
    Step step(long nowNs, long position, long limit, boolean isAwaited) {
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

    /** Stops counting the subscriber's position, because the position is impossible. */
    void discounted() {
        state = afterLinger();
        isTimed = false;
    }

    /** Records that the subscriber reads again. */
    void joined() {
        state = State.ACTIVE;
        isTimed = false;
    }
}
