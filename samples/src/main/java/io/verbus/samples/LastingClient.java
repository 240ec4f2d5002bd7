// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.Subscription;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sends itself a numbered message each second (or each {@code -Dpause=MS}) and prints it, until it
 * is interrupted, even if the driver of the default directory is stopped and started again. The bus
 * connects to the next driver, and adds the publication and the subscription again.
 *
 * <p>Argument: the channel (default {@code verbus:ipc}).
 */
public final class LastingClient {
    private static final int PAUSE_MS = Integer.getInteger("pause", 1_000);

    private LastingClient() {}

    public static void main(String[] args) throws InterruptedException {
        String channel = args.length > 0 ? args[0] : "verbus:ipc";
        BusContext context =
                new BusContext()
                        .reconnect(true)
                        .errorHandler(error -> System.out.println(error.getMessage()))
                        .driverBackHandler(
                                bus -> System.out.println("connected to a driver" + " again"));
        try (Bus bus = Bus.connect(context);
                Subscription subscription =
                        bus.addSubscription(channel, SimpleSubscriber.STREAM_ID);
                Publication publication = bus.addPublication(channel, SimpleSubscriber.STREAM_ID)) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            for (int i = 0; !publication.isClosed(); i++) {
                int length = message.putStringWithoutLengthAscii(0, "message " + i);
                // Without a driver the result is NOT_CONNECTED; an application that needs to send
                // the message retries.
                if (publication.offer(message, 0, length) < 0) {
                    System.out.println("message " + i + " was dropped");
                }
                Thread.sleep(PAUSE_MS);
                subscription.poll(
                        (buffer, offset, size, header) ->
                                System.out.println(
                                        buffer.getStringWithoutLengthAscii(offset, size)),
                        10);
            }
        } catch (BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
