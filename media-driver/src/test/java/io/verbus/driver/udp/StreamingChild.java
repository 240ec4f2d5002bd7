// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;

import org.agrona.concurrent.UnsafeBuffer;

/** Client that sends itself messages until it is killed. Arguments: directory, channel, stream. */
public final class StreamingChild {
    private static final int BEFORE = 1_000;

    private StreamingChild() {}

    public static void main(String[] args) {
        int streamId = Integer.parseInt(args[2]);
        try (Bus bus =
                        Bus.connect(
                                new BusContext().directoryName(args[0]).errorHandler(error -> {}));
                Subscription subscription = bus.addSubscription(args[1], streamId);
                Publication publication = bus.addPublication(args[1], streamId)) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[200]);
            for (int received = 0; ; ) {
                publication.offer(message);
                int count = subscription.poll((buffer, offset, length, header) -> {}, 10);
                if (received < BEFORE && received + count >= BEFORE) {
                    System.out.println("streaming");
                }
                received += count;
            }
        }
    }
}
