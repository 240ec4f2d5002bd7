// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Idle strategy that parks immediately and for long: two emulated processors cannot afford a
 * cluster's dozen threads polling a thousand times a second. Aeron instantiates it by name.
 */
public final class LabIdling implements IdleStrategy {
    private static final long PARK_NS = TimeUnit.MILLISECONDS.toNanos(5);

    @Override
    public void idle(int workCount) {
        if (workCount <= 0) {
            idle();
        }
    }

    @Override
    public void idle() {
        LockSupport.parkNanos(PARK_NS);
    }

    @Override
    public void reset() {}
}
