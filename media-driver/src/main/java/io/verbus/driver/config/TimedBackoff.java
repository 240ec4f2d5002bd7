// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Spins and yields for a time, then parks for doubling periods up to a limit. Intended for agents
 * whose idling delays messages. Used by one thread.
 *
 * <p>Yielding lasts for a time, whereas Agrona's strategy counts turns. Parking for one microsecond
 * takes about 60 microseconds, so it pays off only if no work arrives for longer than that, and
 * thirty turns of a sender or receiver take less time. Agents that park this early sleep in the
 * middle of a round trip over UDP: see docs/performance.md. A conductor, whose idling delays no
 * message, releases its CPU sooner.
 *
 * <p>Between two yields the agent runs duty cycles for {@link #TURN_NS}. Clients count their
 * yields: Agrona's default is five. Where threads outnumber CPUs, each of a client's yields lasts
 * for one turn of the agents on its CPU, so with shorter turns the client parks before its message
 * arrives, and longer turns delay every hop. If each thread has its own CPU, the turn has no
 * effect.
 */
final class TimedBackoff implements IdleStrategy {
    static final long YIELD_NS = TimeUnit.MICROSECONDS.toNanos(200);
    static final long TURN_NS = TimeUnit.MICROSECONDS.toNanos(2);

    private boolean isIdle;
    private boolean isTurn;
    private long idleSinceNs;
    private long turnSinceNs;
    private long parkNs;

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            reset();
        } else {
            idle();
        }
    }

    @Override
    public void idle() {
        if (parkNs > 0) {
            LockSupport.parkNanos(parkNs);
            parkNs = Math.min(2 * parkNs, Idling.MAX_PARK_NS);
            return;
        }
        long nowNs = System.nanoTime();
        if (!isIdle) {
            isIdle = true;
            idleSinceNs = nowNs;
        }
        if (nowNs - idleSinceNs >= YIELD_NS) {
            parkNs = Idling.MIN_PARK_NS;
        } else if (isTurnOver(nowNs)) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    /** Returns whether the current turn is over; the first call after a yield begins a turn. */
    boolean isTurnOver(long nowNs) {
        if (!isTurn) {
            isTurn = true;
            turnSinceNs = nowNs;
        }
        isTurn = nowNs - turnSinceNs < TURN_NS;
        return !isTurn;
    }

    @Override
    public void reset() {
        if (isIdle) { // no stores while busy: another agent's strategy may be adjacent
            isIdle = false;
            parkNs = 0;
        }
    }

    /** {@return the length of the next park in nanoseconds, or 0 while the strategy yields} */
    long parkNs() {
        return parkNs;
    }

    @Override
    public String alias() {
        return "backoff";
    }
}
