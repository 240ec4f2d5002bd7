// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Recording;
import io.verbus.perf.load.Work;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs Aeron Archive and Aeron Cluster in separate processes, over UDP on Verbus and Aeron drivers.
 */
@Timeout(150)
@Tag("slow")
class ServiceRunnerTest {
    private static final int COUNT = 500;
    private static final int LENGTH = 64;
    private static final int PORT = 24_450;

    @ParameterizedTest
    @Tag("soak")
    @EnumSource(names = {"CLUSTER_ON_VERBUS", "CLUSTER_ON_AERON"})
    void measuresRoundTripsThroughCluster(Contender contender) throws IOException {
        Work work = work(4, Load.roundTrips(200, 1));
        try (Runner runner = new Runner(contender, work, done -> {})) {
            Measurement measurement = runner.roundTrips(COUNT);
            assertEquals(COUNT, measurement.histogram().getTotalCount());
            assertEquals(4, ProcessHandle.current().children().count());
            assertEquals(4, directories("/dev/shm").size(), "drivers");
            assertVersion(contender == Contender.CLUSTER_ON_VERBUS, runner.version());
        }
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource(names = {"ARCHIVE_ON_VERBUS", "ARCHIVE_ON_AERON"})
    void measuresRecordingsAndReplays(Contender contender) throws IOException {
        Work work = work(2, Load.recordings());
        try (Runner runner = new Runner(contender, work, done -> {})) {
            Recording first = runner.recording(COUNT);
            Recording both = first.plus(runner.recording(COUNT));
            assertEquals(2 * COUNT, both.messages());
            assertEquals(2 * COUNT * LENGTH, both.bytes());
            assertTrue(first.recordNs() > 0 && first.replayNs() > 0, first.toString());
            assertEquals(first, Recording.parse(first.encode()));
            assertVersion(contender == Contender.ARCHIVE_ON_VERBUS, runner.version());
        }
        assertNothingIsLeft();
    }

    private static void assertVersion(boolean isOnVerbus, String version) {
        assertTrue(version.matches(isOnVerbus ? "Aeron .* on Verbus.*" : "Aeron [0-9.]+"), version);
    }

    private static Work work(int processes, Load load) {
        return new Work(
                Work.Wire.UDP,
                processes,
                Work.Drivers.EMBEDDED,
                LENGTH,
                1408,
                1024 * 1024,
                COUNT,
                0,
                load,
                Work.Threading.SHARED,
                Work.Idle.BACKOFF,
                Work.Idle.BACKOFF,
                "127.0.0.1",
                "127.0.0.1",
                PORT,
                "");
    }

    private static void assertNothingIsLeft() throws IOException {
        assertEquals(List.of(), directories("/dev/shm"));
        assertEquals(List.of(), directories(System.getProperty("java.io.tmpdir")));
    }

    private static List<Path> directories(String folder) throws IOException {
        String prefix = "verbus-perf-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
        }
    }
}
