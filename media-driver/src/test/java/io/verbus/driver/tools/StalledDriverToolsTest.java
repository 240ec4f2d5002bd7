// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.DriverPulse;
import io.verbus.driver.ChildProcess;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Tools distinguish a stalled driver from one that is gone, and from one that has closed. */
@Tag("slow")
@Timeout(60)
class StalledDriverToolsTest {
    /** What each tool prints about a driver without clients. */
    private static final Map<String, String> RECORDS =
            Map.of(
                    "errors",
                    "no errors\n",
                    "clients",
                    "no clients\n",
                    "streams",
                    "stream session registration transport what value tether endpoint channel\n");

    private final Path directory = Drivers.keptPath();

    private static void assertSays(Path directory, String words) {
        String dir = directory.toString();
        for (String command : new String[] {"stat", "metrics", "streams", "clients", "errors"}) {
            ToolRun run = ToolRun.of(command, "--dir", dir);
            assertEquals(1, run.status(), command);
            assertTrue(run.err().contains(words), run.err());
            assertEquals(1, run.err().lines().count(), run.err());
            // The records of a dead driver are printed.
            assertEquals(RECORDS.getOrDefault(command, ""), run.out());
        }
    }

    @Test
    void distinguishesStalledFromKilledDriver() throws IOException {
        try (ChildProcess driver =
                ChildProcess.start(MediaDriver.class, "dir=" + directory, "threading=shared")) {
            driver.awaitLine("verbus driver ready");
            driver.signal("STOP");
            assertSays(directory, " has stalled: its process exists, but");
            driver.signal("CONT");
            assertEquals(0, ToolRun.of("stat", "--dir", directory.toString()).status());
            driver.kill();
            assertSays(directory, " is gone: its process no longer exists");
        }
        DriverDirectory.open(directory).close();
    }

    @Test
    void reportsClosedDriver(@TempDir Path folder) throws IOException {
        Path left = folder.resolve(CncFile.NAME);
        try (MediaDriver driver =
                MediaDriver.launch(Drivers.config().directory(directory).build())) {
            Files.copy(driver.directory().resolve(CncFile.NAME), left);
        }
        // As a closing driver leaves it.
        try (CncFile cnc = CncFile.map(left)) {
            new ManyToOneRingBuffer(cnc.toDriver())
                    .consumerHeartbeatTime(DriverPulse.CLOSED_HEARTBEAT);
        }
        assertSays(folder, " has been shut down: start a media driver");
    }
}
