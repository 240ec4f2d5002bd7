// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.verbus.Publication;
import io.verbus.StrictDevice;
import io.verbus.Subscription;
import io.verbus.directory.DirectoryTrust;
import io.verbus.driver.Await;
import io.verbus.driver.metrics.DriverWatch;
import io.verbus.driver.metrics.Readiness;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/**
 * The device under a stream is reset: both drivers survive, and the stream resumes at its position.
 * On the strict device, because rxe waits until it is unused.
 */
@Tag("lab")
@Tag("strict")
@Timeout(240)
class DeviceLossTest {
    private static final int PORT = 24_370;
    private static final int DEVICE_OF_A = 0;
    private static final int DEVICE_OF_B = 1;

    private static Host host(String address) {
        Host host =
                Host.start(
                                address,
                                builder ->
                                        builder.transportOption("rdma.resume-timeout", "100s")
                                                .transportOption("rdma.probe-timeout", "5s"))
                        .expectLoss();
        host.expect("stopped listening at");
        host.expect("drivers can connect at");
        return host;
    }

    @ParameterizedTest
    @ValueSource(ints = {DEVICE_OF_A, DEVICE_OF_B})
    void resumesExactlyOnceAfterReset(int device) {
        try (Host b = host(Host.addressB());
                Host a = host(Host.addressA());
                Subscription in = b.connect().addSubscription(b.channel(PORT), 1);
                Publication out =
                        a.connect()
                                .addPublication(
                                        Host.overWire(b.channel(PORT, "term-length=64k")), 1)) {
            Script script = Script.upTo(70 + device, 1000);
            Writer writer = new Writer(out, script).write(100);
            Reader reader = Reader.fromFirst(script);
            reader.read(in, 100);
            long notConnected = writer.notConnected();

            for (int round = 1; round <= 3; round++) {
                StrictDevice.remove(device);
                writer.write(100 + round * 20);
                StrictDevice.add(device);
                long resumes = round;
                a.awaitCounter(": resumes", count -> count == resumes);
                reader.exchange(writer, in, 1000L * round);
            }

            assertEquals(notConnected, writer.notConnected());
            assertFalse(in.imageBySessionId(out.sessionId()).isClosed());
            assertEquals(1, in.imageCount());
        }
    }

    /** Longer than librdmacm, or a first attempt to listen again, takes. */
    @Test
    void isNotReadyUntilDeviceIsBack() {
        try (Host b = host(Host.addressB());
                Subscription in = b.connect().addSubscription(b.channel(PORT), 1)) {
            assertEquals(List.of(), lacks(b));
            StrictDevice.remove(DEVICE_OF_B);
            try {
                Await.until(
                        "the driver not to be ready",
                        () -> lacks(b).stream().anyMatch(lack -> lack.contains("RDMA device")));
            } finally {
                StrictDevice.add(DEVICE_OF_B);
            }
            Await.until("the driver to be ready", () -> lacks(b).isEmpty());
            assertEquals(0, in.imageCount());
        }
    }

    private static List<String> lacks(Host host) {
        try (DriverWatch watch = new DriverWatch(host.directory(), DirectoryTrust.OWN)) {
            return watch.look(Readiness::lacks);
        }
    }
}
