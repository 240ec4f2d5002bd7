// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;
import io.verbus.perf.verbus.VerbusStack;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs work over shared memory in separate processes. */
@Timeout(120)
@Tag("slow")
class RunnerTest {
    private static final int COUNT = 2_000;
    private static final int LENGTH = 64;
    private static final int NO_CPU = 9_999;
    private static final int PORT = 24_410;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void measuresRoundTripsAndLeavesNothingBehind(int processes) throws IOException {
        try (Runner runner =
                new Runner(
                        Contender.VERBUS,
                        work(processes, Load.roundTrips(Load.MAX, 1)),
                        done -> {})) {
            Measurement measurement = runner.roundTrips(COUNT);
            assertEquals(COUNT, measurement.histogram().getTotalCount());
            assertEquals(1, directories().size(), "one driver");
            assertEquals(processes, ProcessHandle.current().children().count());
        }
        assertEquals(List.of(), directories());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void measuresStream(int processes) {
        try (Runner runner =
                new Runner(Contender.VERBUS, work(processes, Load.stream(64, 1, 2)), done -> {})) {
            Throughput throughput = runner.stream(COUNT);
            assertEquals((long) COUNT * LENGTH, throughput.bytes());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "VERBUS,IPC,1",
        "VERBUS,UDP,2",
        "AERON,IPC,1",
        "AERON,UDP,2",
        "AERON_ON_VERBUS,IPC,1",
        "AERON_ON_VERBUS,UDP,2"
    })
    void runsDriversInSeparateProcesses(Contender contender, Work.Wire wire, int drivers)
            throws IOException {
        Load load = Load.roundTrips(Load.MAX, 1);
        Work work = work(wire, 2, Work.Drivers.OWN, load, "");
        try (Runner runner = new Runner(contender, work, done -> {})) {
            Measurement measurement = runner.roundTrips(COUNT);
            assertEquals(COUNT, measurement.histogram().getTotalCount());
            assertEquals(drivers, directories().size(), "drivers");
            assertEquals(drivers + 2, ProcessHandle.current().children().count(), "processes");
        }
        assertEquals(List.of(), directories());
    }

    @ParameterizedTest
    @Tag("soak")
    @CsvSource({
        "VERBUS,IPC",
        "VERBUS,UDP",
        "AERON,IPC",
        "AERON,UDP",
        "AERON_ON_VERBUS,IPC",
        "AERON_ON_VERBUS,UDP"
    })
    void echoesMessagesFromPlainHandler(Contender contender, Work.Wire wire) {
        Load load =
                Load.roundTrips(Load.MAX, 1)
                        .with(Load.Publications.CONCURRENT)
                        .with(Load.Polling.PLAIN);
        Work work = work(wire, 2, Work.Drivers.EMBEDDED, load, "");
        try (Runner runner = new Runner(contender, work, done -> {})) {
            Measurement measurement = runner.roundTrips(COUNT);
            assertEquals(COUNT, measurement.histogram().getTotalCount());
        }
    }

    @Test
    void bindsReceiverOfStreamToSecondCpu() {
        Work work = work(2, Load.stream(64, 1, 1), "0," + NO_CPU);
        assertThrows(
                BusException.class, () -> new Runner(Contender.VERBUS, work, done -> {}).close());
    }

    @Test
    void setsDriverOptionsGivenAsProperties() throws IOException {
        Work work = work(1, Load.roundTrips(Load.MAX, 1));
        String samples = "-D" + VerbusStack.OPTION_PREFIX + "latency-samples-per-second=";
        try (Runner runner =
                new Runner(Contender.VERBUS, work, done -> {}, List.of(samples + 10))) {
            runner.roundTrips(COUNT);
            assertTrue(Files.exists(directories().getFirst().resolve("latency.dat")));
        }
        assertThrows(
                BusException.class,
                () ->
                        new Runner(Contender.VERBUS, work, done -> {}, List.of(samples + "x"))
                                .close());
    }

    private static Work work(int processes, Load load) {
        return work(processes, load, "");
    }

    private static Work work(int processes, Load load, String affinity) {
        return work(Work.Wire.IPC, processes, Work.Drivers.EMBEDDED, load, affinity);
    }

    private static Work work(
            Work.Wire wire, int processes, Work.Drivers drivers, Load load, String affinity) {
        String address = wire == Work.Wire.IPC ? "" : "127.0.0.1";
        return new Work(
                wire,
                processes,
                drivers,
                LENGTH,
                1408,
                65536,
                COUNT,
                0,
                load,
                Work.Threading.SHARED,
                Work.Idle.YIELD,
                Work.Idle.BACKOFF,
                address,
                address,
                PORT,
                affinity);
    }

    private static List<Path> directories() throws IOException {
        String prefix = "verbus-perf-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
        }
    }
}
