// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Notifies peers that this driver is closing, so that they do not report a crash. Used by the
 * conductor's thread.
 */
public final class Goodbye {
    /** Longest wait for all peers; in a working network a round trip takes microseconds. */
    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /** A connection that can send the message. Called after the agents have stopped. */
    public interface Sayer {
        /** Sends the message, unless the connection has failed. */
        void sayGoodbye();

        /** Polls; returns whether the peer has received the message, or never will. */
        boolean isGoodbyeOver();
    }

    private Goodbye() {}

    /**
     * Sends the message to all peers, and waits for a short time until it has arrived.
     *
     * @param sayers established connections.
     */
    public static void say(List<? extends Sayer> sayers) {
        for (Sayer sayer : sayers) {
            sayer.sayGoodbye();
        }
        long start = System.nanoTime();
        for (Sayer sayer : sayers) {
            while (!sayer.isGoodbyeOver() && System.nanoTime() - start < PATIENCE_NS) {
                Thread.onSpinWait();
            }
        }
    }
}
