// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** Tells peers that this driver ends, so that none takes it for a crash. Conductor's thread. */
public final class Goodbye {
    /**
     * For a network that is well, a round trip is microseconds; a driver does not wait long for
     * another.
     */
    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /** A connection that can say it. The agents have stopped. */
    public interface Sayer {
        /** Sends it, if the connection is well. */
        void sayGoodbye();

        /** Polls; whether the peer has it, or never will. */
        boolean isGoodbyeOver();
    }

    private Goodbye() {}

    /**
     * Says it to all, and waits for a moment until they have heard it.
     *
     * @param sayers connections that are up.
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
