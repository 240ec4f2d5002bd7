// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;

import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;

/**
 * A client that sends a message to itself. Arguments: directory, owner and group; the last two may
 * be empty. Prints {@code received}, or {@code refused:} and the reason.
 */
public final class ExchangeClient {
    private ExchangeClient() {}

    public static void main(String[] args) {
        try {
            System.out.println(exchange(args[0], args[1], args[2]));
        } catch (BusException e) {
            System.out.println("refused: " + e.getMessage());
        }
    }

    /** Sends and receives a message. */
    public static String exchange(String directory, String owner, String group) {
        BusContext context =
                new BusContext()
                        .directoryName(directory)
                        .directoryOwner(owner.isEmpty() ? null : owner)
                        .directoryGroup(group.isEmpty() ? null : group)
                        .driverTimeout(Duration.ofSeconds(3));
        try (Bus bus = Bus.connect(context);
                Subscription subscription = bus.addSubscription("verbus:ipc", 1);
                Publication publication = bus.addPublication("verbus:ipc", 1)) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[32]);
            Await.until("sent", () -> publication.offer(message) > 0);
            Await.until("received", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
            return "received";
        }
    }
}
