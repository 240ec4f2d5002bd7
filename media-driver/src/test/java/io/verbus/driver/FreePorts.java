// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * UDP ports of loopback that stay free until a test uses them: they are below those that the system
 * gives to sockets without a port, and each of the test processes that run side by side has a range
 * of its own.
 */
public final class FreePorts {
    private static final int RANGE = 1_000;
    private static final int FIRST = Integer.getInteger("verbus.test.ports", 10_000);
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(RANGE));

    private FreePorts() {}

    /** A port that no other call returns soon. */
    public static int next() throws IOException {
        for (int i = 0; i < RANGE; i++) {
            int port = FIRST + NEXT.getAndIncrement() % RANGE;
            try (DatagramSocket free = new DatagramSocket(port, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (BindException inUse) {
                continue;
            }
        }
        throw new IOException("no port is free from " + FIRST + " to " + (FIRST + RANGE - 1));
    }
}
