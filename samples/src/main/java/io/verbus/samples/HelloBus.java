// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.MediaDriver;
import io.verbus.logbuffer.FragmentHandler;

import org.agrona.concurrent.UnsafeBuffer;

/** A driver, a publisher and a subscriber in one process. The README shows its main method. */
public final class HelloBus {
    private HelloBus() {}

    public static void main(String[] args) {
        try (MediaDriver driver = MediaDriver.launchEmbedded();
                Bus bus = Bus.connect(new BusContext().directoryName(driver.directory()));
                Subscription subscription = bus.addSubscription("verbus:ipc", 10);
                Publication publication = bus.addPublication("verbus:ipc", 10)) {

            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            int length = message.putStringWithoutLengthAscii(0, "hello, bus");
            long result;
            while ((result = publication.offer(message, 0, length)) < 0) {
                if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
                    throw new IllegalStateException("cannot send: " + result);
                }
                // No subscriber yet, a slow subscriber, or a term change: retry.
                Thread.onSpinWait();
            }

            FragmentHandler handler =
                    (buffer, offset, size, header) ->
                            System.out.println(buffer.getStringWithoutLengthAscii(offset, size));
            while (subscription.poll(handler, 10) == 0 && !subscription.isClosed()) {
                Thread.onSpinWait();
            }
        }
    }
}
