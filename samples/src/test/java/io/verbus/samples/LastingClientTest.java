// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.ThreadingMode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The sample that goes on with the next driver, run as a user runs it. */
@Timeout(120)
@Tag("slow")
class LastingClientTest {
    @TempDir Path parent;

    private MediaDriver driver() {
        return MediaDriver.launch(
                DriverConfig.builder()
                        .directory(parent.resolve("driver"))
                        .threading(ThreadingMode.SHARED)
                        .termLength(64 * 1024)
                        .build());
    }

    private static void awaitLine(BufferedReader lines, String start) throws IOException {
        String line;
        do {
            line = lines.readLine();
            assertTrue(line != null, "the program has ended without: " + start);
        } while (!line.startsWith(start) || line.endsWith("dropped"));
    }

    @Test
    void continuesWithNextDriver() throws Exception {
        MediaDriver driver = driver();
        Process client =
                new ProcessBuilder(
                                JavaCommand.of(
                                        LastingClient.class.getName(),
                                        List.of(
                                                "-Dverbus.dir=" + driver.directory(),
                                                "-Dpause=10",
                                                "-Xmx128m",
                                                "-XX:-UsePerfData"),
                                        List.of()))
                        .start();
        try (BufferedReader lines = client.inputReader()) {
            awaitLine(lines, "message ");
            driver.close();
            awaitLine(lines, "the media driver of ");
            driver = driver();
            awaitLine(lines, "connected to a driver again");
            awaitLine(lines, "message ");
        } finally {
            client.destroyForcibly().waitFor();
            driver.close();
        }
    }
}
