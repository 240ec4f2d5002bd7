// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.DirectBuffer;

import java.util.concurrent.TimeUnit;

/**
 * Sends messages back directly from the image, for handlers whose poll cannot be aborted.
 *
 * @param replies publication of the echoes.
 * @param invokers invokers of the bus.
 */
public record Echo(Offer replies, Invokers invokers) {
    /** Sends a message back, retrying until the publication accepts it. */
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
                        "could not send an echo for "
                                + TimeUnit.NANOSECONDS.toSeconds(Stack.SILENCE_TIMEOUT_NS)
                                + " s; check the output of the other end");
            }
            invokers.invoke();
        } while (!replies.offer(buffer, offset, length));
    }
}
