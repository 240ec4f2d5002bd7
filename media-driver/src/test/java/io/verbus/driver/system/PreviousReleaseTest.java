// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;

/** Drivers of the previous release and of this one exchange messages over UDP. */
@Tag("soak")
@Timeout(2_400)
class PreviousReleaseTest {
    @TempDir Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void exchangesMessagesInBothDirections(boolean isPublisher) throws Exception {
        int port;
        try (DatagramSocket free = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        String channel = "verbus:udp?endpoint=127.0.0.1:" + port;
        PreviousRelease.exchange(folder, isPublisher, channel + "|term-length=64k", channel);
    }
}
