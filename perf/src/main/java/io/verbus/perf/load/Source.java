// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** The end that sends a stream. Used by one thread; one class of them in a JVM. */
public interface Source {
    /** Whether messages reach the other end. */
    boolean isConnected();

    /**
     * Sends a message that begins with a number.
     *
     * @return false if it cannot be sent now; try again after {@link #poll()}.
     */
    boolean send(long tag);

    /** Does whatever else this thread drives; returns how much work that was. */
    int poll();
}
