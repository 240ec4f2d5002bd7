// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.List;

/** Unmodified programs of Aeron's C client connect to a driver. */
@EnabledIfEnvironmentVariable(
        named = CProgram.FOLDER,
        matches = ".+",
        disabledReason = CProgram.ABSENT)
@Timeout(180)
class AeronCClientTest {
    private MediaDriver driver;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config());
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        driver.close();
        assertEquals(List.of(), errors);
    }

    private static String channel(String media) throws IOException {
        return media.equals("ipc")
                ? "aeron:ipc"
                : "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void answersPings(String media) throws IOException {
        String ping = channel(media);
        String pong = channel(media);
        try (CProgram echo = CProgram.start("cpong", driver.directory(), "-c", ping, "-C", pong);
                CProgram asker =
                        CProgram.start(
                                "cping",
                                driver.directory(),
                                "-c",
                                ping,
                                "-C",
                                pong,
                                "-w",
                                "10",
                                "-m",
                                "200")) {
            echo.awaitLine("Available image");
            asker.awaitLine("Pinging 200 messages");
            asker.awaitLine("Total count    =          200]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp"})
    void publishesAndSubscribes(String media) throws IOException {
        String channel = channel(media);
        try (CProgram subscriber =
                CProgram.start("basic_subscriber", driver.directory(), "-c", channel)) {
            subscriber.awaitLine("Subscription channel status");
            try (CProgram publisher =
                    CProgram.start(
                            "basic_publisher", driver.directory(), "-c", channel, "-m", "5")) {
                // The publisher offers one message a second, and waits for no subscriber.
                subscriber.awaitLine("<<Hello World! 4>>");
                publisher.awaitLine("Done sending");
            }
            subscriber.awaitLine("Unavailable image");
        }
    }
}
