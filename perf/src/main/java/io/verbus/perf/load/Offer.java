// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.DirectBuffer;

/** Sends messages by a publication. One class of them in a JVM. */
@FunctionalInterface
public interface Offer {
    /**
     * Sends a message.
     *
     * @return false if it cannot be sent now.
     * @throws IllegalStateException if the publication cannot send any more.
     */
    boolean offer(DirectBuffer buffer, int offset, int length);
}
