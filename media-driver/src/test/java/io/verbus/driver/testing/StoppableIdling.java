// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.testing;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Idles for a millisecond, or for as long as it is stopped. */
final class StoppableIdling implements IdleStrategy {
    private static final long PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private volatile boolean isStopped;

    void stop() {
        isStopped = true;
    }

    void resume() {
        isStopped = false;
    }

    @Override
    public void idle(int workCount) {
        if (workCount == 0 || isStopped) {
            idle();
        }
    }

    @Override
    public void idle() {
        do {
            LockSupport.parkNanos(PARK_NS);
        } while (isStopped && !Thread.currentThread().isInterrupted());
    }

    @Override
    public void reset() {}

    @Override
    public String alias() {
        return "stoppable";
    }
}
