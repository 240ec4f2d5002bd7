// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

/** Drivers of the previous release and of this one exchange messages over RDMA. */
@Tag("lab")
@Tag("soak")
@Timeout(2_400)
class PreviousReleaseLabTest {
    private static final int PORT = 24_371;

    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void exchangesMessagesInBothDirections(boolean isPublisher) throws Exception {
        String channel = "verbus:rdma?endpoint=" + Host.addressB() + ":" + PORT;
        PreviousRelease.exchange(
                folder,
                isPublisher,
                Host.overWire(channel + "|term-length=64k"),
                channel,
                "rdma.allow=" + Host.addressA() + "," + Host.addressB(),
                "rdma.ack-timeout=1s",
                "rdma.connect-timeout=30s",
                "rdma.probe-timeout=30s",
                "client-liveness-timeout=30s",
                "unblock-timeout=60s");
    }
}
