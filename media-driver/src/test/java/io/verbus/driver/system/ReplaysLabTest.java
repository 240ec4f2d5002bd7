// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.Await;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** A thousand replays of Aeron's archive over RDMA leave nothing behind, including queue pairs. */
@Tag("lab")
@Tag("soak")
@Timeout(2_000)
class ReplaysLabTest {
    private static final int PORT = 24_381;
    private static final int REPLAYS = 1_000;

    @TempDir Path folder;

    private static Host host(String address) {
        String networks = Host.addressA() + "/32," + Host.addressB() + "/32";
        return Host.start(
                address,
                settings ->
                        settings.transportOption("rdma.networks", networks)
                                .transportOption("rdma.interface", address));
    }

    @Test
    void freesReplayResourcesOverRdma() {
        try (Host archive = host(Host.addressA());
                Host reader = host(Host.addressB());
                Replays replays =
                        new Replays(
                                folder,
                                archive.directory(),
                                reader.directory(),
                                "aeron:udp?endpoint=" + Host.addressA() + ":" + PORT,
                                "aeron:udp?endpoint=" + Host.addressB() + ":0")) {
            String channel = "aeron:udp?endpoint=" + Host.addressB() + ":" + (PORT + 1);
            // The archive publishes a replay first; then its client subscribes.
            archive.expect("nothing listens at " + Host.addressB() + ":" + (PORT + 1));
            replays.assertNothingIsLeftOver(1, channel);
            int queuePairs = QueuePairs.count();
            assertTrue(queuePairs > 0, "nothing goes over RDMA");
            replays.assertNothingIsLeftOver(REPLAYS, channel);
            Await.until(
                    () -> "as many queue pairs as before, " + queuePairs,
                    60,
                    () -> QueuePairs.count() == queuePairs);
        }
    }
}
