// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.DirectBuffer;

/** Sends messages on a publication. Only one implementation is loaded per JVM. */
@FunctionalInterface
public interface Offer {
    /**
     * Sends a message.
     *
     * @return false if the message cannot be sent now.
     * @throws IllegalStateException if the publication can no longer send.
     */
    boolean offer(DirectBuffer buffer, int offset, int length);
}
