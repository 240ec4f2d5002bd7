// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbus.Publication;
import io.verbus.StrictDevice;
import io.verbus.Subscription;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyFile.Durations;
import io.verbus.cnc.LatencyFile.Reading;
import io.verbus.cnc.LatencyHop;
import io.verbus.directory.DirectoryTrust;
import io.verbus.driver.Await;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A delay between two drivers shows in the hop where it is, and in no other. The strict device
 * delays completions; in the lab, the wire delays packets. Judged by medians, because the machine
 * may be busy.
 */
@Tag("lab")
@Timeout(240)
class HopLatencyLabTest {
    private static final int PORT = 24_386;

    /** The emulated machine of the lab is slow: only a long delay stands out there. */
    private static final int DELAY_MS = StrictDevice.isThere() ? 40 : 200;

    private static final int EXCHANGES = StrictDevice.isThere() ? 50 : 12;
    private static final long DELAY_NS = TimeUnit.MILLISECONDS.toNanos(DELAY_MS);

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[100]);

    private static Host host(String address) {
        return Host.start(
                address,
                builder ->
                        builder.latencySamplesPerSecond(100_000)
                                .transportOption("rdma.status-interval", "1ms")
                                .transportOption("rdma.probe-interval", "10ms"));
    }

    private static void delayFabric() {
        if (StrictDevice.isThere()) {
            StrictDevice.plan("completion:*:~" + DELAY_MS);
        } else {
            Wire.delay(DELAY_MS);
        }
    }

    @AfterEach
    void endDelay() {
        if (StrictDevice.isThere()) {
            StrictDevice.plan("");
        } else if (Wire.isHere()) {
            Wire.restore();
        }
    }

    private static Reading reading(LatencyFile file, LatencyHop hop) {
        return file.read().stream()
                .filter(each -> each.owner().hop() == hop)
                .findFirst()
                .orElseThrow();
    }

    /** Sends one message, waits for a time, and reads it. */
    private void exchange(Publication out, Subscription in, long delayNs) {
        Await.until("room", () -> out.offer(message) > 0);
        long startNs = System.nanoTime();
        Await.until("the time to pass", () -> System.nanoTime() - startNs >= delayNs);
        Await.until("the message", () -> in.poll((b, o, l, h) -> {}, 1) > 0);
    }

    /** Exchanges messages until a hop has more samples; returns its least durations. */
    private Durations leastOf(
            LatencyHop hop, LatencyFile file, Publication out, Subscription in, long delayNs) {
        Durations before = reading(file, hop).least();
        Await.until(
                hop + " samples",
                () -> {
                    exchange(out, in, delayNs);
                    return reading(file, hop).least().count() >= before.count() + EXCHANGES;
                });
        return reading(file, hop).least().since(before);
    }

    private static void assertShort(LatencyHop hop, Durations least) {
        assertTrue(least.at(50) < DELAY_NS / 2, hop + " takes " + least.at(50) + " ns");
    }

    private static void assertLong(LatencyHop hop, Durations least) {
        assertTrue(least.at(50) >= DELAY_NS / 2, hop + " takes " + least.at(50) + " ns");
    }

    @Test
    void attributesDelaysToTheirHops() {
        assumeTrue(StrictDevice.isThere() || Wire.isHere(), "no wire that can be delayed");
        assumeFalse(
                "iwarp".equals(System.getenv("STRICT_DEVICE"))
                        || Files.exists(Path.of("/sys/class/infiniband/siw1")),
                "completions over iWARP say nothing about the peer");
        try (Host b = host(Host.addressB());
                Host a = host(Host.addressA());
                LatencyFile file =
                        LatencyFile.map(
                                a.directory().resolve(LatencyFile.NAME), DirectoryTrust.OWN);
                Subscription in = b.connect().addSubscription(b.channel(PORT), 1);
                Publication out = a.connect().addPublication(Host.overWire(b.channel(PORT)), 1)) {
            Await.until("connected", () -> out.isConnected() && in.isConnected());
            for (LatencyHop hop :
                    new LatencyHop[] {
                        LatencyHop.SENDER, LatencyHop.FABRIC, LatencyHop.SUBSCRIBER
                    }) {
                assertShort(hop, leastOf(hop, file, out, in, 0));
            }

            Durations fabric = reading(file, LatencyHop.FABRIC).least();
            assertLong(
                    LatencyHop.SUBSCRIBER, leastOf(LatencyHop.SUBSCRIBER, file, out, in, DELAY_NS));
            assertShort(LatencyHop.FABRIC, reading(file, LatencyHop.FABRIC).least().since(fabric));

            Durations subscriber = reading(file, LatencyHop.SUBSCRIBER).least();
            delayFabric();
            Durations probes = reading(file, LatencyHop.ROUND_TRIP).least();
            assertLong(LatencyHop.FABRIC, leastOf(LatencyHop.FABRIC, file, out, in, 0));
            assertShort(
                    LatencyHop.SUBSCRIBER,
                    reading(file, LatencyHop.SUBSCRIBER).least().since(subscriber));
            assertLong(
                    LatencyHop.ROUND_TRIP,
                    reading(file, LatencyHop.ROUND_TRIP).least().since(probes));
            assertShort(LatencyHop.SENDER, reading(file, LatencyHop.SENDER).least());
        }
    }
}
