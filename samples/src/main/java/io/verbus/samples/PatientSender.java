// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.logbuffer.AppendResult;

import org.agrona.DirectBuffer;

/**
 * Offers a message repeatedly until it is accepted. Two results are final: the publication is
 * closed, for example because the driver has gone, or its stream has no positions left. All other
 * results are temporary; {@link Publication#ADMIN_ACTION} lasts only for a moment.
 */
final class PatientSender {
    private static final long PATIENCE_NS = 1_000_000_000;

    private final Publication publication;

    PatientSender(Publication publication) {
        this.publication = publication;
    }

    /**
     * Sends a message, retrying until it is accepted. If there is no subscriber for a second,
     * prints a message to standard error, once.
     *
     * @param buffer buffer with the message at index 0.
     * @param length length of the message in bytes.
     * @return the stream's position after the message.
     * @throws BusException if the publication can no longer send.
     */
    long send(DirectBuffer buffer, int length) throws InterruptedException {
        long start = System.nanoTime();
        boolean isTold = false;
        long result;
        while ((result = publication.offer(buffer, 0, length)) < 0) {
            if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
                throw new BusException(
                        "the "
                                + publication
                                + " can no longer send ("
                                + AppendResult.name(result)
                                + "): check that the media driver is running, and restart this"
                                + " program");
            }
            if (result == Publication.NOT_CONNECTED
                    && !isTold
                    && System.nanoTime() - start > PATIENCE_NS) {
                isTold = true;
                System.err.println(
                        "no subscriber yet on '"
                                + publication.channel()
                                + "', stream "
                                + publication.streamId()
                                + ": waiting for a subscriber, such as SimpleSubscriber on the same"
                                + " channel");
            }
            if (result != Publication.ADMIN_ACTION) {
                Thread.sleep(1); // there is no subscriber yet, or the slowest is too far behind
            }
        }
        return result;
    }
}
