// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.agent;

import org.agrona.concurrent.Agent;
import org.agrona.concurrent.SystemNanoClock;

/** An agent that drives its part of every transport, and reads the clock once a cycle. */
public interface NetworkAgent extends Agent {
    @Override
    default int doWork() {
        return work(SystemNanoClock.INSTANCE.nanoTime());
    }

    /**
     * One turn of the duty cycle.
     *
     * @param nowNs monotonic time.
     * @return the amount of work done.
     */
    int work(long nowNs);
}
