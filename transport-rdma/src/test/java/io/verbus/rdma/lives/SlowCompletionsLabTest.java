// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import io.verbus.StrictDevice;
import io.verbus.transport.TestStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/**
 * Receivers release data long before the sender's device reports that it has sent it. The device
 * ends the process if memory changes or is deregistered before its completion was polled.
 */
@Tag("lab")
@Tag("strict")
@Timeout(120)
class SlowCompletionsLabTest {
    private static final int STREAM = 42;
    private static final long LAPS = 20 * 64 * 1024;

    @TempDir Path directory;

    @AfterEach
    void endDelay() {
        StrictDevice.plan("");
    }

    @Test
    void keepsLogUntilItsRequestsComplete() {
        long seed = System.nanoTime();
        try (DeviceNet net = new DeviceNet(seed, directory, Lives.options(seed))) {
            net.subscribe(STREAM);
            TestStream stream = net.a().publish(net.channel(), STREAM);
            net.until("connected", () -> stream.connected);
            StrictDevice.plan("completion:*:~10");
            net.until("many laps of the log", () -> stream.position() > LAPS);
            stream.end();
            net.transportOfA().outbound().closePublication(stream);
            net.until("released", () -> net.a().releasedStreams.contains(stream));
        }
    }
}
