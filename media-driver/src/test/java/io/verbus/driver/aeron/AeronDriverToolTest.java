// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Aeron's DriverTool queries a driver process for its id, and terminates it if allowed. */
@Timeout(120)
class AeronDriverToolTest {
    private final Path directory = DriverDirectory.uniquePath();

    private ChildProcess launch(boolean isTerminable) {
        ChildProcess driver =
                ChildProcess.start(
                        MediaDriver.class,
                        "dir=" + directory,
                        "threading=shared",
                        "terminable=" + isTerminable);
        driver.awaitLine("verbus driver ready");
        return driver;
    }

    private List<String> run(String command) {
        List<String> lines = new ArrayList<>();
        try (ChildProcess tool =
                ChildProcess.start(AeronTool.class, "DriverTool", directory.toString(), command)) {
            for (String line = tool.line(); line != null; line = tool.line()) {
                lines.add(line);
            }
        }
        return lines;
    }

    @Test
    void printsProcessIdOfDriver() {
        try (ChildProcess driver = launch(false)) {
            assertEquals(List.of(Long.toString(driver.pid())), run("pid"));
        }
    }

    @Test
    void terminatesDriverGracefully() {
        try (ChildProcess driver = launch(true)) {
            run("terminate");
            assertEquals(0, driver.awaitExit());
            assertFalse(Files.exists(directory), "the directory is deleted");
        }
    }

    @Test
    void doesNotTerminateDriverThatForbidsIt() {
        try (ChildProcess driver = launch(false)) {
            run("terminate");
            // Commands are executed in order: the driver answers this one after the other.
            try (Bus bus = Bus.connect(new BusContext().directoryName(directory.toString()))) {
                bus.addPublication("aeron:ipc?term-length=64k", 1).close();
            }
            assertTrue(driver.isAlive());
        }
    }
}
