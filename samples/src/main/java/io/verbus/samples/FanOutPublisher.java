// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.ExclusivePublication;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Publishes a numbered message each second (or each {@code -Dpause=MS}) to several destinations,
 * through the driver of the default directory. A {@link SimpleSubscriber} may start and stop at
 * each of them at any time.
 *
 * <p>Arguments: the media ({@code rdma} or {@code udp}), the flow control ({@code min}, {@code max}
 * or {@code tagged,g:TAG}), the number of messages, and the destinations, each {@code host:port}.
 */
public final class FanOutPublisher {
    private static final int PAUSE_MS = Integer.getInteger("pause", 1_000);

    private FanOutPublisher() {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length < 4) {
            System.err.println(
                    "usage: FanOutPublisher rdma|udp min|max|tagged,g:TAG COUNT HOST:PORT...");
            System.exit(2);
        }
        String channel = "verbus:" + args[0] + "?control-mode=manual|fc=" + args[1];
        int messages = Integer.parseInt(args[2]);
        try (Bus bus = Bus.connect();
                ExclusivePublication publication =
                        bus.addExclusivePublication(channel, SimpleSubscriber.STREAM_ID)) {
            for (int i = 3; i < args.length; i++) {
                publication.addDestination("verbus:" + args[0] + "?endpoint=" + args[i]);
            }
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
