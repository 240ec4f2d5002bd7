// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * Sends messages and receives their echoes. Used by one thread. Only one implementation is loaded
 * per JVM, which keeps calls monomorphic.
 */
public interface Initiator {
    /** Returns whether both directions are connected. */
    boolean isConnected();

    /**
     * Sends a message with two values.
     *
     * @param sequence sequence number of the message.
     * @param time scheduled time of the message in nanoseconds.
     * @return false if the message cannot be sent now; retry after {@link #poll()}.
     */
    boolean send(long sequence, long time);

    /**
     * Receives echoes, and invokes the agents that run on this thread.
     *
     * @return number of echoes received.
     */
    int poll();
}
