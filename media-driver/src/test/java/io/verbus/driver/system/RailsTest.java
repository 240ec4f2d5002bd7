// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.StrictDevice;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.config.Idling;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One stream over two devices to one image: removing a device, in turn, loses no message and costs
 * no time-out, and the device is used again once it is back.
 */
@Tag("lab")
@Tag("strict")
@Timeout(240)
class RailsTest {
    private static final int STREAM = 7;
    private static final int PORT = 24_385;
    private static final String[] RAILS = {Host.addressA(), Host.addressB()};

    /** For how long a device is gone. */
    private static final long ABSENCE_MS = 2500;

    /** Far above what a busy machine pauses for, but shorter than any time-out or the absence. */
    private static final long LONGEST_GAP_NS = TimeUnit.MILLISECONDS.toNanos(2000);

    private static final long PACE_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private static Host host(String address) {
        Host host =
                Host.start(
                                address,
                                builder ->
                                        builder.idling(Idling.BACKOFF)
                                                .transportOption("rdma.resume-timeout", "100s")
                                                .transportOption("rdma.probe-timeout", "5s"))
                        .expectLoss();
        host.expect("stopped listening at");
        host.expect("drivers can connect at");
        return host;
    }

    private static String rail(int number) {
        return "verbus:rdma?endpoint=" + RAILS[number] + ":" + PORT;
    }

    /** Sends at a steady rate while it reads, and notes the longest time without a message. */
    private static final class Feed {
        private final Subscription in;
        private final Writer writer;
        private final Reader reader;
        private long dueNs = System.nanoTime();

        Feed(Publication out, Subscription in) {
            Script script = Script.upTo(11, 300);
            this.in = in;
            writer = new Writer(out, script);
            reader = Reader.fromFirst(script);
        }

        /** Returns the longest gap between deliveries in nanoseconds. */
        long run(long durationMs) {
            long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(durationMs);
            long longest = 0;
            long lastNs = System.nanoTime();
            dueNs = lastNs;
            long nowNs;
            while ((nowNs = System.nanoTime()) - endNs < 0) {
                if (nowNs - dueNs >= 0 && writer.offer() > 0) {
                    dueNs = Math.max(dueNs + PACE_NS, nowNs - 10 * PACE_NS);
                }
                if (in.poll(reader.fragments(), 64) > 0) {
                    long deliveredNs = System.nanoTime();
                    longest = Math.max(longest, deliveredNs - lastNs);
                    lastNs = deliveredNs;
                } else {
                    LockSupport.parkNanos(1000);
                }
            }
            return Math.max(longest, nowNs - lastNs);
        }

        void drain() {
            reader.read(in, writer.next());
        }
    }

    /** With short terms a rail lags too far when it returns, and starts over; else it resumes. */
    @ParameterizedTest
    @ValueSource(strings = {"64k", "16m"})
    void deliversEachMessageOnceWhenDeviceIsRemoved(String termLength) {
        try (Host b = host(Host.addressB());
                Host a = host(Host.addressA());
                Subscription in =
                        b.connect().addSubscription("verbus:rdma?control-mode=manual", STREAM)) {
            a.expect("fell too far behind the other destinations and was dropped");
            a.expectOfClients("fell too far behind the other destinations and was dropped");
            in.addDestination(rail(0));
            in.addDestination(rail(1));
            Publication out =
                    a.connect()
                            .addPublication(
                                    "verbus:rdma?control-mode=manual|fc=max|term-length="
                                            + termLength,
                                    STREAM);
            out.addDestination(rail(0) + "|interface=" + RAILS[0]);
            out.addDestination(rail(1) + "|interface=" + RAILS[1]);
            a.awaitCounter("connected to ", connected -> connected == 1);
            Await.until("an image", () -> in.imageCount() == 1);
            Image image = in.imageAtIndex(0);
            Await.until("two rails", () -> image.activeTransportCount() == 2);
            Feed feed = new Feed(out, in);
            feed.run(300);
            System.out.printf("longest gap with both rails: %,d ns%n", feed.run(500));
            for (int round = 0; round < 4; round++) {
                int rail = round % 2;
                Thread remover = Thread.ofPlatform().start(() -> removeAfter(rail, 100));
                long gap = feed.run(100 + ABSENCE_MS);
                Await.until("the device removed", () -> !remover.isAlive());
                System.out.printf("longest gap when rail %d goes: %,d ns%n", rail, gap);
                StrictDevice.add(rail); // other tests need it even if this one fails
                assertTrue(gap < LONGEST_GAP_NS, gap + " ns without a message");
                awaitUse(b, rail, out, feed);
            }
            feed.drain();
            assertEquals(0, feed.writer.notConnected());
            assertEquals(1, in.imageCount());
            assertFalse(image.isClosed());
        }
    }

    /** The stream runs on until the rail has brought what is sent from now on. */
    private static void awaitUse(Host b, int rail, Publication out, Feed feed) {
        long position = out.position();
        String counter = "source position at " + RAILS[rail] + ":" + PORT;
        Await.until(
                "rail " + rail + " to be used again",
                () -> {
                    feed.run(10);
                    return b.counters(counter).stream().anyMatch(value -> value > position);
                });
    }

    private static void removeAfter(int device, long delayMs) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(delayMs));
        StrictDevice.remove(device);
    }
}
