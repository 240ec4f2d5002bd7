// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** Receives a stream. Used by one thread. Only one implementation is loaded per JVM. */
public interface Sink {
    /**
     * Receives messages on every subscription, and invokes the agents that run on this thread.
     *
     * @return number of messages received, or any positive number if there was one.
     */
    int poll();
}
