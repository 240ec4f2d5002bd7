// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Yields for a time, then parks, each time twice as long, up to a limit: for agents that a message
 * waits for. One thread.
 *
 * <p>By time, where Agrona's strategy counts turns: a park of a microsecond takes some 60, so that
 * it pays only where nothing comes for longer than that, and thirty turns of a sender or receiver
 * are over in less. Agents that park so soon sleep in the middle of a round trip over UDP: see
 * docs/performance.md. A conductor, for which no message waits, gives its processor back sooner.
 */
final class TimedBackoff implements IdleStrategy {
    static final long YIELD_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private boolean isIdle;
    private long idleSinceNs;
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
        if (nowNs - idleSinceNs < YIELD_NS) {
            Thread.yield();
        } else {
            parkNs = Idling.MIN_PARK_NS;
        }
    }

    @Override
    public void reset() {
        if (isIdle) { // one that is busy stores nothing: another agent's strategy may lie beside
            isIdle = false;
            parkNs = 0;
        }
    }

    /** {@return how long the next park will be, 0 while it yields} */
    long parkNs() {
        return parkNs;
    }

    @Override
    public String alias() {
        return "backoff";
    }
}
