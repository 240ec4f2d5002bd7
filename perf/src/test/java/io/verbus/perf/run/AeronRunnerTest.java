// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.perf.aeron.AeronCDriver;
import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Runs Aeron's client on Verbus' driver, and on a driver in a separate program. */
@Timeout(120)
@Tag("slow")
class AeronRunnerTest {
    private static final int COUNT = 2_000;
    private static final int LENGTH = 64;
    private static final int PORT = 24_420;

    @TempDir Path folder;

    /**
     * Returns the program given by {@code AERON_C_BIN}; else a script that runs Verbus' driver,
     * which the same environment variables configure.
     */
    private Path program() throws IOException {
        String named = System.getenv("AERON_C_BIN");
        return named != null
                ? Path.of(named, "aeronmd")
                : script(
                        "[ \"$1\" != -v ] || { echo 'x <aeron version=of the test>'; exit; }",
                        "env | grep ^AERON_ | sort >" + folder.resolve("environment"),
                        "exec "
                                + System.getProperty("java.home")
                                + "/bin/java --enable-native-access=ALL-UNNAMED"
                                + " --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED -cp '"
                                + System.getProperty("java.class.path")
                                + "' io.verbus.driver.tools.Verbus driver");
    }

    private Path script(String... lines) throws IOException {
        Path script = folder.resolve("aeronmd");
        Files.writeString(script, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
        assertTrue(script.toFile().setExecutable(true));
        return script;
    }

    private static Runner runner(Path program, Work work) {
        return new Runner(
                Contender.AERON_C,
                work,
                done -> {},
                List.of("-D" + AeronCDriver.PROGRAM_PROPERTY + "=" + program));
    }

    @ParameterizedTest
    @CsvSource({"IPC,1", "UDP,2"})
    void runsProgramAsDriverAndLeavesNothingBehind(Work.Wire wire, int drivers) throws IOException {
        Work work = work(wire, Work.Drivers.OWN, Load.roundTrips(Load.MAX, 1));
        List<ProcessHandle> programs;
        try (Runner runner = runner(program(), work)) {
            assertEquals(COUNT, runner.roundTrips(COUNT).histogram().getTotalCount());
            assertEquals(drivers, directories().size(), "drivers");
            programs =
                    ProcessHandle.current()
                            .children()
                            .flatMap(ProcessHandle::children)
                            .filter(ProcessHandle::isAlive)
                            .toList();
            assertEquals(drivers, programs.size(), "programs");
            assertTrue(
                    runner.version().matches("Aeron 1\\.51\\.0 on aeronmd, aeron version=.*"),
                    runner.version());
        }
        assertEquals(List.of(), directories());
        assertEquals(List.of(), programs.stream().filter(ProcessHandle::isAlive).toList());
    }

    @Test
    void passesSettingsOfWorkToProgram() throws IOException {
        Path environment = folder.resolve("environment");
        Path script =
                script(
                        "[ \"$1\" != -v ] || exit 0",
                        "env | grep ^AERON_ | sort >" + environment,
                        "exit 3");
        Work work = work(Work.Wire.IPC, Work.Drivers.OWN, Load.roundTrips(Load.MAX, 1));
        BusException e = assertThrows(BusException.class, () -> runner(script, work).close());
        assertTrue(e.getMessage().contains("ended with status 1"), e.getMessage());
        List<String> set = Files.readAllLines(environment);
        assertTrue(
                set.containsAll(
                        List.of(
                                "AERON_THREADING_MODE=SHARED",
                                "AERON_SHARED_IDLE_STRATEGY=sleeping",
                                "AERON_SHARED_IDLE_STRATEGY_INIT_ARGS=1ms",
                                "AERON_MTU_LENGTH=1408",
                                "AERON_IPC_TERM_BUFFER_LENGTH=65536",
                                "AERON_DIR_DELETE_ON_SHUTDOWN=true",
                                "AERON_CLIENT_LIVENESS_TIMEOUT=30000000000ns")),
                set.toString());
        assertEquals(List.of(), directories());
    }

    @ParameterizedTest
    @EnumSource(
            value = Work.Wire.class,
            names = {"IPC", "UDP"})
    void streamsThroughVerbusDriver(Work.Wire wire) {
        Work work = work(wire, Work.Drivers.EMBEDDED, Load.stream(64, 1, 1));
        try (Runner runner = new Runner(Contender.AERON_ON_VERBUS, work, done -> {})) {
            assertEquals((long) COUNT * LENGTH, runner.stream(COUNT).bytes());
            assertTrue(runner.version().startsWith("Aeron 1.51.0"), runner.version());
        }
    }

    @Test
    void namesVerbusDriverInVersionOfAeronClient() {
        Work work = work(Work.Wire.IPC, Work.Drivers.OWN, Load.roundTrips(Load.MAX, 1));
        try (Runner runner = new Runner(Contender.AERON_ON_VERBUS, work, done -> {})) {
            assertTrue(runner.version().startsWith("Aeron 1.51.0 on Verbus"), runner.version());
        }
        try (Runner runner = new Runner(Contender.AERON, work, done -> {})) {
            assertEquals("Aeron 1.51.0", runner.version());
        }
    }

    private static Work work(Work.Wire wire, Work.Drivers drivers, Load load) {
        String address = wire == Work.Wire.IPC ? "" : "127.0.0.1";
        return new Work(
                wire,
                2,
                drivers,
                LENGTH,
                1408,
                65536,
                COUNT,
                0,
                load,
                Work.Threading.SHARED,
                Work.Idle.YIELD,
                Work.Idle.SLEEP,
                address,
                address,
                PORT,
                "");
    }

    private static List<Path> directories() throws IOException {
        String prefix = "verbus-perf-" + ProcessHandle.current().pid() + "-";
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix)).toList();
        }
    }
}
