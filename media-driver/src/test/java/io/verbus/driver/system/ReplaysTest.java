// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;

/** A thousand replays of Aeron's archive, over UDP and in shared memory, leave nothing behind. */
@Tag("soak")
@Timeout(400)
class ReplaysTest {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int REPLAYS = 1_000;

    @TempDir Path folder;

    private static String channel() throws IOException {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return "aeron:udp?endpoint=" + LOOPBACK + ":" + socket.getLocalPort();
        }
    }

    @Test
    void freesReplayResourcesOverUdp() throws IOException {
        try (Host archive = Host.start(LOOPBACK, settings -> {});
                Host reader = Host.start(LOOPBACK, settings -> {});
                Replays replays =
                        new Replays(
                                folder,
                                archive.directory(),
                                reader.directory(),
                                channel(),
                                "aeron:udp?endpoint=" + LOOPBACK + ":0")) {
            replays.assertNothingIsLeftOver(REPLAYS, channel());
        }
    }

    @Test
    void freesReplayResourcesInSharedMemory() throws IOException {
        try (Host host = Host.start(LOOPBACK, settings -> {});
                Replays replays =
                        new Replays(folder, host.directory(), host.directory(), channel(), "")) {
            replays.assertNothingIsLeftOver(REPLAYS, ArchiveChild.LOCAL);
        }
    }
}
