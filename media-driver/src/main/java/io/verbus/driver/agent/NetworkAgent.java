// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.concurrent.Agent;
import org.agrona.concurrent.SystemNanoClock;

/** An agent that runs its part of every transport, and reads the clock once per cycle. */
public interface NetworkAgent extends Agent {
    @Override
    default int doWork() {
        return work(SystemNanoClock.INSTANCE.nanoTime());
    }

    /**
     * Runs one duty cycle.
     *
     * @param nowNs monotonic time.
     * @return the work count.
     */
    int work(long nowNs);
}
