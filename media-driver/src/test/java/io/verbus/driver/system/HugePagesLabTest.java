// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Logs on huge pages, which the lab's machine reserves at boot: written over RDMA, and when there
 * are too few.
 */
@Tag("lab")
@Tag("kernel")
@Timeout(240)
@Tag("slow")
class HugePagesLabTest {
    private static final int PORT = 24_344;
    private static final int PAGE = 2 * 1024 * 1024;
    private static final int TERM = PAGE;

    /** Three terms, and a page for the metadata. */
    private static final int PAGES_OF_A_LOG = 4;

    private static final int PAGES = 4 * PAGES_OF_A_LOG;
    private static final Path KERNELS = Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB");

    private Path mount;

    @BeforeEach
    void mount(@TempDir Path folder) throws Exception {
        assumeTrue(Wire.isHere(), "only the lab's machine is this test's to configure");
        Await.until("the reserved pages to be free", () -> free(PAGES));
        mount = Files.createDirectory(folder.resolve("huge"));
        run("mount", "-t", "hugetlbfs", "-o", "pagesize=2M", "none", mount.toString());
    }

    @AfterEach
    void unmount() throws Exception {
        if (mount != null) {
            run("umount", mount.toString());
        }
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    private Host host(String address) {
        return Host.start(
                address,
                builder ->
                        builder.logDirectory(mount)
                                .termLength(TERM)
                                .lingerNs(0)
                                .transportOption("rdma.probe-timeout", "10s")
                                .transportOption("rdma.resume-timeout", "200s"));
    }

    private static long free() throws IOException {
        return Long.parseLong(Files.readString(KERNELS.resolve("free_hugepages")).strip());
    }

    /** Memory regions of this machine at least as long as a log. */
    private static long registeredLogs() throws Exception {
        return run("rdma", "resource", "show", "mr")
                .lines()
                .map(line -> line.replaceAll(".*mrlen (\\d+).*", "$1"))
                .filter(length -> length.matches("\\d+") && Long.parseLong(length) >= 3L * TERM)
                .count();
    }

    @Test
    void carriesStreamBetweenHugePages() throws Exception {
        Script script = Script.upTo(70, 8000);
        try (Host b = host(Host.addressB());
                Host a = host(Host.addressA())) {
            String channel = b.channel(PORT);
            Subscription in = connect(b).addSubscription(channel, 1);
            Publication out = connect(a).addPublication(Host.overWire(channel), 1);
            Reader reader = Reader.fromFirst(script);
            Writer writer = new Writer(out, script);
            reader.exchange(writer, in, 1);
            assertEquals(PAGES - 2 * PAGES_OF_A_LOG, free());
            assertEquals(2, registeredLogs(), "one registration at each end");

            long messages = 1;
            while (out.position() < 7L * TERM) {
                messages += 200;
                reader.exchange(writer, in, messages);
            }

            a.expectLoss();
            b.expectLoss();
            Wire.cut();
            writer.write(messages + 10);
            a.awaitCounter(": failures", failures -> failures > 0);
            Wire.restore();
            reader.exchange(writer, in, messages + 100);
            assertEquals(2, registeredLogs(), "and none more for another connection");
        } finally {
            Wire.restore();
        }
        Await.until("the pages to be free again", () -> free(PAGES));
        try (Stream<Path> left = Files.list(mount)) {
            assertEquals(0, left.count(), "folders left on " + mount);
        }
    }

    @Test
    void reportsTermShorterThanPage() throws Exception {
        try (Host a = host(Host.addressA())) {
            a.expect("is not a multiple of the huge page size");
            Bus bus = connect(a);
            String refusal = refusal(bus, "verbus:ipc?term-length=64k");
            assertTrue(
                    refusal.contains("65536 is not a multiple of the huge page size" + " 2097"),
                    refusal);
        }
        String refusal =
                assertThrows(
                                BusException.class,
                                () ->
                                        Host.start(
                                                Host.addressA(),
                                                settings ->
                                                        settings.logDirectory(mount)
                                                                .termLength(1024 * 1024)))
                        .getMessage();
        assertTrue(refusal.contains("choose a term length of at least 2097152"), refusal);
    }

    @Test
    void reportsTooFewFreePagesAndReleasesAll() throws Exception {
        try (Host a = host(Host.addressA())) {
            a.expect("takes 25 huge pages");
            Bus bus = connect(a);
            String refusal = refusal(bus, "verbus:ipc?term-length=16m");
            assertTrue(refusal.contains("takes 25 huge pages"), refusal);
            assertTrue(refusal.contains("but only 16 are free"), refusal);
            assertTrue(refusal.contains("sysctl vm.nr_hugepages=25"), refusal);
            assertEquals(PAGES, free());
            bus.addPublication("verbus:ipc", 2).close();
        }
        Await.until("the pages to be free again", () -> free(PAGES));
    }

    private static String refusal(Bus bus, String channel) {
        return assertThrows(BusException.class, () -> bus.addPublication(channel, 1)).getMessage();
    }

    /** The next driver removes what a killed driver leaves. */
    @Test
    void takesOverFromKilledDriver(@TempDir Path folder) throws Exception {
        Path directory = Path.of("/dev/shm/verbus-huge-" + ProcessHandle.current().pid());
        String[] settings = {"log-directory=" + mount, "term-length=2m", "linger=0s"};
        try (Child first = Child.driver(List.of(), folder, directory, settings)) {
            try (Bus bus = connect(directory)) {
                bus.addPublication("verbus:ipc", 1);
                assertEquals(PAGES - PAGES_OF_A_LOG, free());
                first.kill();
            } catch (BusException driverGone) {
                assertFalse(first.isAlive());
            }
        }
        try (Child second = Child.driver(List.of(), folder, directory, settings)) {
            Await.until("the pages to be free again", () -> free(PAGES));
            second.terminate();
        }
        assertFalse(Files.exists(directory));
        try (Stream<Path> left = Files.list(mount)) {
            assertEquals(0, left.count(), "folders left on " + mount);
        }
    }

    private static boolean free(long pages) {
        try {
            return free() == pages;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Bus connect(Host host) {
        return host.connect(context -> context.logDirectory(mount.toString()));
    }

    private Bus connect(Path directory) {
        return Bus.connect(
                new BusContext()
                        .directoryName(directory.toString())
                        .logDirectory(mount.toString())
                        .driverTimeout(Host.PATIENCE)
                        .errorHandler(error -> {})
                        .driverLostHandler((bus, reason) -> {}));
    }
}
