// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** The end that sends and waits for the echo. Used by one thread; one class of them in a JVM. */
public interface Initiator {
    /** Whether messages reach the reflector, and its echoes this end. */
    boolean isConnected();

    /**
     * Sends a message that carries both numbers.
     *
     * @param sequence of the message.
     * @param time in nanoseconds, at which it should be sent.
     * @return false if it cannot be sent now; try again after {@link #poll()}.
     */
    boolean send(long sequence, long time);

    /**
     * Takes what has arrived, and does whatever else this thread drives.
     *
     * @return number of messages taken.
     */
    int poll();
}
