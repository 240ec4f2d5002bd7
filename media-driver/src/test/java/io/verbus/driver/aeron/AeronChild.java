// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.verbus.driver.udp.UdpChild;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.file.Path;

/**
 * A program like {@link UdpChild}, but with Aeron's driver and client. Arguments: action, channel,
 * driver directory.
 */
public final class AeronChild {
    private AeronChild() {}

    public static void main(String[] args) {
        try (AeronPeer aeron = AeronPeer.impatient(Path.of(args[2]))) {
            if (args[0].equals("publish")) {
                publish(aeron.client().addExclusivePublication(args[1], UdpChild.STREAM));
            } else {
                receive(aeron.client().addSubscription(args[1], UdpChild.STREAM));
            }
        }
    }

    private static void publish(ExclusivePublication publication) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[200]);
        for (long n = 0; ; n++) {
            message.putLong(0, n);
            while (publication.offer(message) < 0) {
                Thread.yield();
            }
        }
    }

    private static void receive(Subscription subscription) {
        long[] count = new long[1];
        while (true) {
            subscription.poll(
                    (buffer, offset, length, header) -> {
                        if (++count[0] == 1000) {
                            System.out.println("under way");
                        }
                    },
                    10);
        }
    }
}
