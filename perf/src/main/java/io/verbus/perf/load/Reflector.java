// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** Sends arriving messages back. Used by one thread. Only one implementation is loaded per JVM. */
@FunctionalInterface
public interface Reflector {
    /**
     * Sends back messages that have arrived, and invokes the agents that run on this thread.
     *
     * @return number of messages sent back.
     */
    int poll();
}
