// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.Publication;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Publishes a numbered message each second (or each {@code -Dpause=MS}), through the driver of the
 * default directory.
 *
 * <p>Arguments: the channel, such as {@code verbus:rdma?endpoint=10.0.0.2:20000} (default {@code
 * verbus:ipc}), and the number of messages (default 10).
 */
public final class SimplePublisher {
    private static final int PAUSE_MS = Integer.getInteger("pause", 1_000);

    private SimplePublisher() {}

    public static void main(String[] args) throws InterruptedException {
        String channel = args.length > 0 ? args[0] : "verbus:ipc";
        int messages = args.length > 1 ? Integer.parseInt(args[1]) : 10;
        try (Bus bus = Bus.connect();
                Publication publication = bus.addPublication(channel, SimpleSubscriber.STREAM_ID)) {
            PatientSender sender = new PatientSender(publication);
            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            for (int i = 0; i < messages; i++) {
                int length = message.putStringWithoutLengthAscii(0, "message " + i);
                long position = sender.send(message, length);
                System.out.println("message " + i + ": position " + position);
                Thread.sleep(PAUSE_MS);
            }
        } catch (BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
