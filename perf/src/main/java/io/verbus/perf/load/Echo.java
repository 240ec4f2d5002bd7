// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.DirectBuffer;

import java.util.concurrent.TimeUnit;

/**
 * Sends back what a handler is given, out of the image, where the handler's poll cannot deliver it
 * again.
 *
 * @param replies publication of the echoes.
 * @param invokers of the bus.
 */
public record Echo(Offer replies, Invokers invokers) {
    /** Sends it, as soon as the publication takes it. */
    public void send(DirectBuffer buffer, int offset, int length) {
        if (!replies.offer(buffer, offset, length)) {
            retry(buffer, offset, length);
        }
    }

    private void retry(DirectBuffer buffer, int offset, int length) {
        long start = System.nanoTime();
        do {
            if (System.nanoTime() - start > Stack.SILENCE_TIMEOUT_NS) {
                throw new IllegalStateException(
                        "an echo could not be sent for "
                                + TimeUnit.NANOSECONDS.toSeconds(Stack.SILENCE_TIMEOUT_NS)
                                + " s; see what the other end says");
            }
            invokers.invoke();
        } while (!replies.offer(buffer, offset, length));
    }
}
