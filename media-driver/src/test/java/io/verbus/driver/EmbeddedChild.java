// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Program with its own driver and Aeron's client. Arguments: channels, over each of which it sends
 * itself messages.
 */
final class EmbeddedChild {
    private static final int MESSAGES = 10_000;

    private EmbeddedChild() {}

    public static void main(String[] args) {
        System.out.println(
                "agrona: "
                        + UnsafeBuffer.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath());
        try (MediaDriver driver = MediaDriver.launchEmbedded();
                Aeron aeron =
                        Aeron.connect(
                                new Aeron.Context()
                                        .aeronDirectoryName(driver.directory().toString()))) {
            for (String channel : args) {
                exchange(aeron, channel);
            }
            System.out.println("errors: " + Drivers.errors(driver));
        }
    }

    private static void exchange(Aeron aeron, String channel) {
        try (Subscription subscription = aeron.addSubscription(channel, 10);
                Publication publication = aeron.addPublication(channel, 10)) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
            long[] received = {0};
            for (long sent = 0; received[0] < MESSAGES; ) {
                message.putLong(0, sent);
                if (sent < MESSAGES && publication.offer(message) > 0) {
                    sent++;
                }
                subscription.poll(
                        (buffer, offset, length, header) -> {
                            if (length != 100 || buffer.getLong(offset) != received[0]++) {
                                throw new IllegalStateException("not the message that was sent");
                            }
                        },
                        10);
            }
            System.out.println("received: " + received[0]);
        }
    }
}
