// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.Subscription;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverConfigBuilder;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.file.Path;

/**
 * A program: a driver and a client that publish numbers, or receive them and check their order,
 * until it is killed. Arguments: action, channel, driver directory.
 */
public final class UdpChild {
    public static final int STREAM = 10;

    private UdpChild() {}

    public static void main(String[] args) {
        DriverConfig config = config().directory(Path.of(args[2])).build();
        try (MediaDriver driver = MediaDriver.launch(config);
                Bus bus = Drivers.connect(driver)) {
            if (args[0].equals("publish")) {
                publish(bus.addExclusivePublication(args[1], STREAM));
            } else {
                receive(bus.addSubscription(args[1], STREAM));
            }
        }
    }

    static DriverConfigBuilder config() {
        return Drivers.config()
                .transportOption("udp.image-timeout", "1s")
                .transportOption("udp.connection-timeout", "1s");
    }

    private static void publish(ExclusivePublication publication) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[200]);
        for (long n = 0; ; n++) {
            message.putLong(0, n);
            while (publication.offer(message) < 0) {
                Thread.yield();
            }
            if (n == 1000) {
                System.out.println("under way");
            }
        }
    }

    private static void receive(Subscription subscription) {
        long[] next = {-1};
        long[] count = new long[1];
        while (true) {
            subscription.poll(
                    (buffer, offset, length, header) -> {
                        long n = buffer.getLong(offset);
                        if (next[0] >= 0 && n != next[0]) {
                            System.out.println("wrong " + n + " for " + next[0]);
                        }
                        next[0] = n + 1;
                        if (++count[0] == 1000) {
                            System.out.println("under way");
                        }
                    },
                    10);
        }
    }
}
