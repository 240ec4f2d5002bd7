// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.logbuffer.AppendResult;

import org.agrona.DirectBuffer;

/**
 * Offers a message again and again until it is sent. Two results say that it never will be: the
 * publication is closed, as when the driver has gone, or its stream has no positions left. All
 * others pass, {@link Publication#ADMIN_ACTION} at once.
 */
final class PatientSender {
    private static final long PATIENCE_NS = 1_000_000_000;

    private final Publication publication;

    PatientSender(Publication publication) {
        this.publication = publication;
    }

    /**
     * Sends a message. Where nobody subscribes for a second, standard error is told once.
     *
     * @param buffer that holds it from index 0 on.
     * @param length in bytes.
     * @return the stream's position behind it.
     * @throws BusException if the publication sends no more.
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
                                + " sends no more ("
                                + AppendResult.name(result)
                                + "): see that the media driver runs, and start again");
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
                                + ": waiting for one, such as SimpleSubscriber with the same"
                                + " channel");
            }
            if (result != Publication.ADMIN_ACTION) {
                Thread.sleep(1); // nobody subscribes yet, or who does is too far behind
            }
        }
        return result;
    }
}
