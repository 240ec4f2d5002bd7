// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.LossReport;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.DriverOption;
import io.verbus.driver.config.DriverOptions;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.transport.TransportException;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

@Timeout(60)
class ToolsTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir Path folder;

    private int run(String... args) {
        CommandLine line = Verbus.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(args);
    }

    private static MediaDriver launch() {
        return MediaDriver.launchEmbedded(
                DriverConfig.builder().threading(ThreadingMode.SHARED).termLength(64 * 1024));
    }

    @Test
    void printsCountersAndStreamsOfRunningDriver() {
        try (MediaDriver driver = launch();
                Bus bus =
                        Bus.connect(new BusContext().directoryName(driver.directory().toString()));
                Subscription subscription = bus.addSubscription("verbus:ipc", 1234);
                Publication publication = bus.addPublication("verbus:ipc", 1234)) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[32]);
            until("sent", () -> publication.offer(message) > 0);
            until("received", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
            String dir = driver.directory().toString();
            assertEquals(0, run("stat", "--dir", dir), err.toString());
            assertTrue(out.toString().contains("driver heartbeat"), out.toString());
            out.getBuffer().setLength(0);
            assertEquals(0, run("stat", "--dir", dir, "--json"));
            assertTrue(out.toString().contains("\"label\": \"clients\""), out.toString());
            out.getBuffer().setLength(0);
            assertEquals(0, run("streams", "--dir", dir));
            assertTrue(out.toString().matches("(?s).*1234.*publisher-limit.*"), out.toString());
            assertTrue(out.toString().contains("subscriber-position"), out.toString());
            out.getBuffer().setLength(0);
            assertEquals(0, run("streams", "--dir", dir, "--json"));
            assertTrue(out.toString().contains("\"stream\": 1234"), out.toString());
            out.getBuffer().setLength(0);
            assertEquals(0, run("errors", "--dir", dir));
            assertEquals("no errors\n", out.toString());
        }
    }

    @Test
    void printsStackTracesOnlyOfDefects() {
        try (MediaDriver driver = launch()) {
            String dir = driver.directory().toString();
            try (CncFile cnc = CncFile.map(driver.directory().resolve(CncFile.NAME))) {
                DistinctErrorLog log = new DistinctErrorLog(cnc.errorLog(), () -> 1000);
                log.record(new BusException("WARN: the disk is slow: choose another"));
                log.record(new IllegalStateException("a defect"));
                log.record(new TransportException("refused: allow it"));
            }
            assertEquals(0, run("errors", "--dir", dir), err.toString());
            List<String> lines = out.toString().lines().toList();
            assertEquals("once at 1970-01-01T00:00:01Z", lines.getFirst());
            assertEquals("WARN: the disk is slow: choose another", lines.get(1));
            assertEquals("once at 1970-01-01T00:00:01Z", lines.get(2));
            assertEquals("java.lang.IllegalStateException: a defect", lines.get(3));
            assertTrue(lines.get(4).startsWith("\tat "), lines.get(4));
            assertEquals("refused: allow it", lines.get(lines.size() - 2));
            assertEquals("3 distinct errors", lines.getLast());
            out.getBuffer().setLength(0);
            assertEquals(0, run("errors", "--dir", dir, "--stacks"), err.toString());
            lines = out.toString().lines().toList();
            assertEquals(
                    "io.verbus.BusException: WARN: the disk is slow: choose another", lines.get(1));
            assertTrue(lines.get(2).startsWith("\tat "), lines.get(2));
        }
    }

    /** The window, linger and resting timeouts determine the subscriber's state at the check. */
    @ParameterizedTest
    @CsvSource({"3600,3600,active", "0,3600,lingering", "0,0,resting"})
    void printsTetherStateOfSlowSubscriber(long limitS, long lingerS, String state) {
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(
                                DriverConfig.builder()
                                        .threading(ThreadingMode.SHARED)
                                        .termLength(64 * 1024)
                                        .untetheredWindowLimitNs(ns(limitS))
                                        .untetheredLingerNs(ns(lingerS))
                                        .untetheredRestingNs(ns(3600)));
                Bus bus =
                        Bus.connect(new BusContext().directoryName(driver.directory().toString()));
                Subscription subscription = bus.addSubscription("verbus:ipc", 1234);
                Subscription slow = bus.addSubscription("verbus:ipc?tether=false", 1234);
                Publication publication = bus.addPublication("verbus:ipc", 1234)) {
            until("connected", () -> subscription.isConnected() && slow.isConnected());
            UnsafeBuffer message = new UnsafeBuffer(new byte[1000]);
            String dir = driver.directory().toString();
            until(
                    state,
                    () -> {
                        publication.offer(message);
                        subscription.poll((b, o, l, h) -> {}, 10);
                        out.getBuffer().setLength(0);
                        assertEquals(0, run("streams", "--dir", dir));
                        return out.toString().contains(state);
                    });
            assertEquals(1, out.toString().lines().filter(line -> line.contains(state)).count());
            out.getBuffer().setLength(0);
            assertEquals(0, run("streams", "--dir", dir, "--json"));
            assertTrue(out.toString().contains("\"tether\": \"" + state + "\""), out.toString());
        }
    }

    private static long ns(long seconds) {
        return seconds == 0 ? 1_000_000 : seconds * 1_000_000_000;
    }

    private static void until(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - start < 20_000_000_000L, what);
            Thread.yield();
        }
    }

    @Test
    void printsLossesByStreamAndSource() throws Exception {
        try (MediaDriver driver = launch()) {
            String directory = driver.directory().toString();
            assertEquals(0, run("losses", "--dir", directory), err.toString());
            assertEquals("no losses", out.toString().strip());
            // Written like the driver's conductor does: it replaces the existing file.
            Path file = driver.directory().resolve(LossReport.NAME);
            Files.delete(file);
            try (LossReport report = LossReport.create(file)) {
                report.add(7, -3, "127.0.0.1:4000", "10.0.0.1:5", 2, 64, 0);
                assertEquals(0, run("losses", "--dir", directory), err.toString());
                assertTrue(
                        out.toString()
                                .contains(
                                        "stream 7 session -3 at 127.0.0.1:4000 from 10.0.0.1:5:"
                                                + " 2 gaps, 64 bytes, from 1970-01-01T00:00:00Z"),
                        out.toString());
                assertTrue(out.toString().endsWith("\n1 stream with losses\n"), out.toString());
                assertEquals(0, run("losses", "--json", "--dir", directory), err.toString());
                assertTrue(out.toString().contains("\"observations\": 2"), out.toString());
            }
        }
    }

    @Test
    void rejectsDirectoryWithoutDriver() {
        assertEquals(1, run("streams", "--dir", folder.resolve("none").toString()));
        assertTrue(err.toString().contains("there is no driver in"), err.toString());
        assertEquals(1, err.toString().lines().count());
    }

    @Test
    void reportsWrongUsageInOneLineWithStatusTwo() {
        assertEquals(2, run("stat", "--dri", "x"));
        assertEquals(1, err.toString().lines().count(), err.toString());
        assertTrue(err.toString().contains("see verbus stat --help"), err.toString());
        assertEquals(2, run());
        assertEquals(1, run("driver", "--term-length", "many"));
        assertTrue(err.toString().contains("option --term-length has the invalid value 'many'"));
    }

    /** Devices cannot be examined if the verbs libraries are missing as well. */
    @Test
    void doctorReportsMissingRdma() {
        assumeFalse(Files.isDirectory(Path.of("/sys/class/infiniband")), "there is a device");
        assertEquals(1, run("doctor", "--interval", "1ms"), err.toString());
        String devices = out.toString().replaceFirst("(?s).*\\ndevices\\n", "");
        String remedy = devices.contains("cannot load the library") ? "fix this first" : "rdma_rxe";
        assertTrue(devices.startsWith("  error "), out.toString());
        assertTrue(devices.contains(remedy), out.toString());
        assertTrue(devices.contains("errors, "), out.toString());
        out.getBuffer().setLength(0);
        assertEquals(1, run("doctor", "--json"));
        assertTrue(out.toString().contains("\"level\": \"error\", \"area\": \"kernel\""));
        assertEquals("", err.toString());
    }

    @Test
    void doctorFailsOnlyForErrors() {
        assertEquals(0, run("doctor", "--interval", "1ms", "--for", "udp,ipc"), out.toString());
        assertTrue(
                out.toString().matches("(?s).*\\n0 errors, [1-9]\\d* warnings, .*"),
                out.toString());
        assertTrue(out.toString().contains("net.core.rmem_max"), out.toString());
        assertTrue(out.toString().contains("open files"), out.toString());
        assertFalse(out.toString().contains("devices"), out.toString());
        out.getBuffer().setLength(0);
        assertEquals(0, run("doctor", "--interval", "1ms", "--for", "ipc"), out.toString());
        assertFalse(out.toString().contains("net.core.rmem_max"), out.toString());
        assertEquals(2, run("doctor", "--for", "tcp"));
        assertTrue(err.toString().contains("--for is 'tcp': it must be rdma, udp or ipc"));
    }

    @Test
    void doctorReadsSettingsFromConfigFile() throws Exception {
        Path file = folder.resolve("driver.properties");
        Files.writeString(file, "udp.receive-buffer=1g\n");
        String[] arguments = {"doctor", "--for=udp", "--interval=1ms", "--config=" + file};
        assertEquals(0, run(arguments), err.toString());
        assertTrue(out.toString().contains("udp.receive-buffer requests 1,073,741,824 bytes"));
    }

    @Test
    void doctorExaminesDriver() {
        String dir;
        try (MediaDriver driver = launch();
                Bus bus =
                        Bus.connect(new BusContext().directoryName(driver.directory().toString()));
                Subscription waiting = bus.addSubscription("verbus:ipc", 1234)) {
            dir = driver.directory().toString();
            assertEquals(0, run("doctor", "--for=ipc", "--dir", dir), out.toString());
            String text = out.toString();
            assertTrue(text.startsWith("driver\n  ok       the driver with process id "), text);
            assertTrue(text.contains("the driver has logged no errors"), text);
            assertTrue(text.contains(" counters are in use"), text);
            assertTrue(text.contains(" files open"), text);
            assertTrue(
                    text.contains(
                            "warning  1 of 1 publications and subscriptions are not connected"),
                    text);
            assertTrue(text.contains("remedy: `verbus clients --dir " + dir + "` shows why"), text);
            assertFalse(waiting.isConnected());
        }
        out.getBuffer().setLength(0);
        assertEquals(1, run("doctor", "--for=ipc", "--dir", dir));
        assertTrue(out.toString().contains("error    there is no driver in "), out.toString());
    }

    @Test
    void doctorRejectsInvalidInterval() {
        for (String wrong : new String[] {"soon", "-1s", "2h", "3601s"}) {
            err.getBuffer().setLength(0);
            assertEquals(2, run("doctor", "--interval=" + wrong), wrong);
            assertTrue(err.toString().contains("--interval is '" + wrong + "'"), err.toString());
            assertEquals(1, err.toString().lines().count(), err.toString());
        }
    }

    @Test
    void driverFailsToStartWithInvalidTransportSetting() {
        String dir = folder.resolve("driver").toString();
        String[] settings = {"rdma.allow=10.77.0.1/24", "rdma.retry-count=7", "udp.window=abc"};
        for (String wrong : settings) {
            err.getBuffer().setLength(0);
            assertEquals(1, run("driver", "--dir", dir, "--set", wrong), wrong);
            String[] setting = wrong.split("=");
            assertTrue(
                    err.toString().contains("option " + setting[0] + " is '" + setting[1] + "'"),
                    err.toString());
            assertEquals(1, err.toString().lines().count(), err.toString());
        }
    }

    @Test
    void driverFailsToStartWithUnknownTransportSetting() {
        String dir = folder.resolve("driver").toString();
        for (String unknown : new String[] {"rdma.bogus", "udp.bogus"}) {
            err.getBuffer().setLength(0);
            assertEquals(1, run("driver", "--dir", dir, "--set", unknown + "=1"), unknown);
            assertTrue(
                    err.toString()
                            .contains(unknown + " is not an option of its transport: use one of"),
                    err.toString());
            assertEquals(1, err.toString().lines().count(), err.toString());
        }
        assertTrue(Files.notExists(folder.resolve("driver")), "nothing is left");
    }

    @Test
    void suggestsCorrectionForMistypedWord() {
        assertEquals(2, run("stat", "--dri=/x"));
        assertTrue(
                err.toString().contains("'--dri=/x' (did you mean '--dir'?): see verbus stat"),
                err.toString());
        err.getBuffer().setLength(0);
        assertEquals(2, run("driver", "--term-lenght", "64k"));
        assertTrue(err.toString().contains("(did you mean '--term-length'?)"), err.toString());
        err.getBuffer().setLength(0);
        assertEquals(2, run("straems"));
        assertTrue(err.toString().contains("(did you mean 'streams'?)"), err.toString());
        err.getBuffer().setLength(0);
        assertEquals(2, run("stat", "--nothing-like-it"));
        assertFalse(err.toString().contains("did you mean"), err.toString());
        err.getBuffer().setLength(0);
        assertEquals(1, run("driver", "--set", "udp.receive-bufer=1m"));
        assertTrue(err.toString().contains("(did you mean 'udp.receive-buffer'?)"));
    }

    @Test
    void errorNamesUnitsOfRejectedNumber() {
        assertEquals(1, run("driver", "--client-liveness-timeout", "5"));
        assertTrue(
                err.toString().contains("it must be from ")
                        && err.toString().contains(", with a unit: ns, us, ms or s"),
                err.toString());
        err.getBuffer().setLength(0);
        assertEquals(1, run("driver", "--term-length", "5"));
        assertTrue(
                err.toString().contains("a number without a unit is in bytes; the units are k"),
                err.toString());
        err.getBuffer().setLength(0);
        assertEquals(2, run("stat", "--interval", "5"));
        assertTrue(err.toString().contains("with a unit: ms or s"), err.toString());
    }

    @Test
    void driverHelpHasHeadingsAndOneUsageLine() {
        assertEquals(0, run("driver", "--help"));
        List<String> lines = out.toString().lines().toList();
        assertEquals("Usage: verbus driver [OPTION]...", lines.getFirst());
        assertTrue(lines.get(1).startsWith("Runs a media driver"), lines.get(1));
        int before = 0;
        for (String heading :
                List.of(
                        "Directory and process:",
                        "Threads:",
                        "Memory:",
                        "Clients and streams:",
                        "Limits of clients:",
                        "Names of drivers:",
                        "RDMA:",
                        "UDP:")) {
            int at = lines.indexOf(heading);
            assertTrue(at > before, heading + " in " + out);
            assertEquals("", lines.get(at - 1));
            before = at;
        }
        assertTrue(lines.indexOf("Memory:") < indexOf(lines, "--term-length"), out.toString());
        assertTrue(indexOf(lines, "--config") < lines.indexOf("Directory and process:"));
        assertTrue(lines.indexOf("UDP:") < indexOf(lines, "--udp.window"));
        assertTrue(lines.stream().allMatch(line -> line.length() <= 80), out.toString());
    }

    private static int indexOf(List<String> lines, String option) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains(option + "=")) {
                return i;
            }
        }
        throw new AssertionError(option + " in " + lines);
    }

    @Test
    void helpListsEveryDriverSetting() {
        assertEquals(0, run("driver", "--help"));
        for (DriverOption<?> option : DriverOptions.ALL) {
            assertTrue(out.toString().contains("--" + option.name()), option.name());
        }
    }
}
