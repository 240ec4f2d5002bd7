// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** {@code verbus latency} on terminals. */
@Timeout(120)
class LatencyTerminalTest {
    private static Process start(Pty terminal, MediaDriver driver) throws java.io.IOException {
        return new ProcessBuilder(
                        ToolRun.commandLine(
                                "latency",
                                "--dir",
                                driver.directory().toString(),
                                "--interval",
                                "100ms"))
                .redirectInput(terminal.file())
                .redirectOutput(terminal.file())
                .redirectError(terminal.file())
                .start();
    }

    private static List<String> rows(Pty terminal, String word) {
        return terminal.screen().lines().filter(line -> line.contains(" " + word + " ")).toList();
    }

    @Test
    void distinguishesStreamsWithSameId() throws Exception {
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(Drivers.config().latencySamplesPerSecond(10));
                Bus bus = Drivers.connect(driver);
                Publication one = bus.addExclusivePublication("verbus:ipc", 1234);
                Publication other = bus.addExclusivePublication("verbus:ipc", 1234);
                Pty terminal = new Pty(80, 24)) {
            Process latency = start(terminal, driver);
            try {
                // The screen may be read while it is drawn.
                Await.until(
                        () -> "both streams in both tables on " + terminal.screen(),
                        60,
                        () ->
                                rows(terminal, Integer.toString(one.sessionId())).size() == 2
                                        && rows(terminal, Integer.toString(other.sessionId()))
                                                        .size()
                                                == 2
                                        && rows(terminal, "session").size() == 2);
                assertEquals(1, Set.copyOf(rows(terminal, "session")).size(), terminal.screen());
            } finally {
                latency.destroyForcibly().waitFor();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"80, 24", "160, 45", "40, 10"})
    void fitsTerminalAndEndsOnKey(int columns, int rows) throws Exception {
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(Drivers.config().latencySamplesPerSecond(10));
                Bus bus = Drivers.connect(driver);
                Subscription in = bus.addSubscription("verbus:ipc", 1234);
                Publication out = bus.addPublication("verbus:ipc", 1234);
                Pty terminal = new Pty(columns, rows)) {
            Await.until("connected", () -> out.isConnected() && in.isConnected());
            String settings = terminal.settings();
            Process latency = start(terminal, driver);
            try {
                Await.until(
                        () -> "the table on " + terminal.screen(),
                        60,
                        () -> terminal.screen().contains("q quits"));
                List<String> lines = terminal.screen().lines().toList();
                assertTrue(lines.getLast().startsWith("q quits"), terminal.screen());
                assertTrue(terminal.screen().contains("1234 "), terminal.screen());
                assertTrue(terminal.screen().contains("consumption"), terminal.screen());
                assertEquals("", terminal.wrapped(), terminal.screen());
                terminal.type("q");
                assertTrue(latency.waitFor(30, TimeUnit.SECONDS), "q ends it");
                assertEquals(0, latency.exitValue());
                assertEquals(settings, terminal.settings(), "the terminal is as before");
            } finally {
                latency.destroyForcibly().waitFor();
            }
        }
    }
}
