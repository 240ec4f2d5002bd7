// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** Sends a stream. Used by one thread. Only one implementation is loaded per JVM. */
public interface Source {
    /** Returns whether the receiving end is connected. */
    boolean isConnected();

    /**
     * Sends a message that begins with a number.
     *
     * @return false if the message cannot be sent now; retry after {@link #poll()}.
     */
    boolean send(long tag);

    /** Invokes the agents that run on this thread; returns the work count. */
    int poll();
}
