// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.Random;

/**
 * Transfers a stream over a path that loses datagrams in both directions, with a simulated clock:
 * the time depends only on the recovery of losses, not on the machine.
 */
@Timeout(120)
class LossRecoveryTest {
    private static final int STREAM = 7;
    private static final long STEP_NS = 20_000;
    private static final int MESSAGES = 3_000;
    private static final int SEEDS = 4;

    @TempDir Path folder;
    private int lost;

    /** Forwards datagrams in one direction, and drops some; responses use another socket. */
    private void pass(RawSocket in, RawSocket out, SocketAddress to, Random random, double loss) {
        int length;
        while ((length = in.receive()) >= 0) {
            if (random.nextDouble() < loss) {
                lost++;
            } else {
                out.buffer.putBytes(0, in.buffer, 0, length);
                out.send(to, length);
            }
        }
    }

    private long millisecondsFor(double loss, long seed) throws IOException {
        Random random = new Random(seed);
        int port;
        try (RawSocket free = new RawSocket()) {
            port = free.port();
        }
        try (TestDriver a = new TestDriver(1, folder);
                TestDriver b = new TestDriver(2, folder, "udp.status-interval", "2ms");
                RawSocket front = new RawSocket();
                RawSocket back = new RawSocket()) {
            b.subscribe(channel(port), STREAM);
            TestStream stream = a.publish(channel(front.port()), STREAM);
            TestImage image = null;
            while (image == null || image.next < MESSAGES) {
                a.nowNs += STEP_NS;
                b.nowNs += STEP_NS;
                assertTrue(a.nowNs < 60_000 * TestDriver.MS, "took more than a minute");
                while (stream.offered < MESSAGES && stream.offer()) {
                    // as many as the receiver allows
                }
                a.turn();
                pass(front, back, RawSocket.at(port), random, loss);
                b.turn();
                pass(back, front, front.source, random, loss);
                if (image == null && !b.images.isEmpty()) {
                    image = b.images.getFirst();
                }
                while (image != null && image.poll(100) > 0) {
                    // read on
                }
            }
            assertEquals(b.counter("NAKs sent"), image.naks);
            assertEquals(a.counter("NAKs received"), stream.naks);
            assertTrue(image.naks > 0 && stream.naks > 0, image.naks + ", " + stream.naks);
            assertEquals(0, b.counter("invalid frames from senders"));
            assertEquals(0, a.counter("invalid frames from receivers"));
            return a.nowNs / TestDriver.MS;
        }
    }

    private static ChannelUri channel(int port) {
        return ChannelUri.parse("verbus:udp?endpoint=127.0.0.1:" + port + "|term-length=1m");
    }

    /** With one NAK at a time, recovery would take two to six times as long. */
    @ParameterizedTest
    @CsvSource({"0.05, 160", "0.1, 700", "0.2, 2500"})
    void recoversGapsConcurrently(double loss, long mostMs) throws IOException {
        long ms = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            ms += millisecondsFor(loss, seed);
        }
        System.out.println(loss + " lost: " + MESSAGES + " messages in " + ms + " ms");
        assertTrue(lost > 100, lost + " lost");
        assertTrue(ms <= mostMs, ms + " ms");
    }
}
