// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.RegistrationException;
import io.verbus.Subscription;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.Await;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.config.ThreadingMode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * Machines and settings on which RDMA cannot work: each is reported in one sentence with a remedy
 * to the process that can act.
 */
@Tag("lab")
@Timeout(240)
class MisconfiguredHostLabTest {
    private static final int PORT = 24_330;

    /** Runs without CAP_IPC_LOCK, which root otherwise has. */
    private static final List<String> LOW_MEMLOCK =
            List.of("prlimit", "--memlock=1048576", "setpriv", "--bounding-set=-ipc_lock");

    /** In separate namespaces, in which the library is an empty file. */
    private static final List<String> NO_LIBRARY =
            List.of(
                    "unshare",
                    "--mount",
                    "bash",
                    "-c",
                    "library=$(ldconfig -p | awk '/libibverbs.so.1 / { print $NF; exit }')"
                            + " && mount --bind /dev/null \"$(readlink -f \"$library\")\""
                            + " && exec \"$@\"",
                    "bash");

    @TempDir private static Path folder;

    private static void assumeRoot() {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
    }

    private static Path memoryDirectory(String name) {
        return Path.of("/dev/shm/verbus-system-test-" + name + "-" + ProcessHandle.current().pid());
    }

    private static String channelTo(String host, int port, String more) {
        return "verbus:rdma?endpoint=" + host + ":" + port + more;
    }

    private static Bus connect(Path directory, List<String> refusals) {
        return Bus.connect(
                new BusContext()
                        .directoryName(directory.toString())
                        .driverTimeout(Duration.ofSeconds(20))
                        .publicationErrorHandler((publication, code, text) -> refusals.add(text)));
    }

    private static void awaitRefusal(List<String> refusals, String... parts) {
        Await.until(
                () -> "a refusal with " + List.of(parts) + " among " + refusals,
                60,
                () ->
                        refusals.stream()
                                .anyMatch(
                                        text -> List.of(parts).stream().allMatch(text::contains)));
    }

    @Tag("kernel")
    @Tag("slow")
    @Test
    void reportsMissingLibrary() {
        assumeRoot();
        Path directory = memoryDirectory("library");
        try (Child driver = Child.driver(NO_LIBRARY, folder, directory)) {
            try (Bus bus = connect(directory, new CopyOnWriteArrayList<>())) {
                String channel = channelTo(Host.addressB(), PORT, "");
                RegistrationException refused =
                        assertThrows(
                                RegistrationException.class, () -> bus.addPublication(channel, 1));
                assertEquals(ErrorCode.GENERIC_ERROR, refused.code());
                assertTrue(
                        refused.getMessage()
                                .contains("cannot load the library libibverbs.so.1: install"),
                        refused.getMessage());
            }
            driver.terminate();
        }
    }

    @Tag("slow")
    @Test
    void reportsLockedMemoryLimitThatIsTooLow() {
        assumeRoot();
        Path directory = memoryDirectory("memlock");
        String[] told = {"limit of locked memory is 1048576 bytes", "ulimit -l"};
        try (Child driver = Child.driver(LOW_MEMLOCK, folder, directory);
                Host good = Host.b()) {
            // As publisher: reported to the client and in the log of the driver with the limit.
            List<String> refusals = new CopyOnWriteArrayList<>();
            try (Bus bus = connect(directory, refusals);
                    Subscription in = good.connect().addSubscription(good.channel(PORT), 1);
                    Publication out = bus.addPublication(good.channel(PORT, "term-length=1m"), 1)) {
                awaitRefusal(refusals, told);
                assertTrue(in.hasNoImages());
                assertEquals(Publication.NOT_CONNECTED, out.offer(Script.of(1, 8).text(), 0, 8));
            }
            // As subscriber: reported in the log of the driver with the limit; the peer is
            // rejected.
            String channel = channelTo(Host.addressA(), PORT, "|term-length=1m");
            try (Bus bus = connect(directory, refusals);
                    Subscription in = bus.addSubscription(Host.received(channel), 1);
                    Publication out = good.connect().addPublication(channel, 1)) {
                good.expect("locked memory");
                good.expectOfClients("locked memory");
                Await.until(
                        "the log to tell the limit of locked memory",
                        () ->
                                ErrorLog.read(directory).stream()
                                        .anyMatch(error -> error.contains(told[1])));
                good.awaitError("locked memory");
                assertEquals(1, in.streamId());
                assertTrue(!out.isConnected());
            }
            ErrorLog.assertOnly(directory, List.of("locked memory"));
            driver.terminate();
        }
    }

    @Test
    void rejectsRdmaWithDirectoryOnDisk() throws Exception {
        Path disk = Files.createTempDirectory(Path.of("/var/tmp"), "verbus-system-test-");
        try (MediaDriver driver = launch(disk.resolve("driver"), 16);
                Bus bus = connect(driver.directory(), new CopyOnWriteArrayList<>())) {
            String channel = channelTo(Host.addressB(), PORT, "");
            RegistrationException refused =
                    assertThrows(RegistrationException.class, () -> bus.addPublication(channel, 1));
            assertEquals(ErrorCode.GENERIC_ERROR, refused.code());
            assertTrue(refused.getMessage().contains("tmpfs"), refused.getMessage());
            assertTrue(
                    refused.getMessage().contains(driver.directory().toString()),
                    refused.getMessage());
            ErrorLog.assertOnly(driver.directory(), List.of("WARN: the driver directory"));
        } finally {
            Files.delete(disk);
        }
    }

    private static MediaDriver launch(Path directory, int kibibytes64) {
        int section = kibibytes64 * 64 * 1024;
        return MediaDriver.launch(
                DriverConfig.builder()
                        .directory(directory)
                        .threading(ThreadingMode.SHARED)
                        .toDriverLength(section)
                        .toClientsLength(section)
                        .counterValuesLength(section)
                        .errorLogLength(section)
                        .transportOption("rdma.allow", Host.addressA() + "," + Host.addressB())
                        .build());
    }

    @Test
    @Tag("soak")
    void reportsLackOfSpace() throws Exception {
        assumeRoot();
        Path small = Files.createTempDirectory("verbus-system-test-");
        run("mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", small.toString());
        try (Host good = Host.a()) {
            BusException tooSmall =
                    assertThrows(BusException.class, () -> launch(small.resolve("driver"), 64));
            assertTrue(tooSmall.getMessage().contains("space"), tooSmall.getMessage());

            List<String> refusals = new CopyOnWriteArrayList<>();
            try (MediaDriver driver = launch(small.resolve("driver"), 1);
                    Bus bus = connect(driver.directory(), refusals)) {
                String channel = channelTo(Host.addressB(), PORT, "|term-length=1m");
                RegistrationException refused =
                        assertThrows(
                                RegistrationException.class, () -> bus.addPublication(channel, 1));
                assertTrue(refused.getMessage().contains("space"), refused.getMessage());

                // There is no space for an image either: the publisher learns that.
                List<String> refusalsOfGood = new CopyOnWriteArrayList<>();
                Bus publisher =
                        good.connect(
                                context ->
                                        context.publicationErrorHandler(
                                                (out, code, text) -> refusalsOfGood.add(text)));
                try (Subscription in = bus.addSubscription(Host.received(channel), 1);
                        Publication out = publisher.addPublication(channel, 1)) {
                    good.expect("space");
                    awaitRefusal(refusalsOfGood, "space");
                    assertTrue(in.hasNoImages());
                    assertTrue(!out.isConnected());
                    List<String> log = ErrorLog.read(driver.directory());
                    assertTrue(log.stream().anyMatch(e -> e.contains("space")), log::toString);
                }
                ErrorLog.assertOnly(driver.directory(), List.of("space"));
            }
        } finally {
            // Clients keep their mappings for a while.
            run("umount", "--lazy", small.toString());
            Files.delete(small);
        }
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(30, TimeUnit.SECONDS), String.join(" ", command));
        assertEquals(0, process.exitValue(), output);
    }

    @Test
    void reportsPortInUse() {
        try (Host first = Host.b();
                Host second = Host.b();
                Subscription in = first.connect().addSubscription(first.channel(PORT), 1)) {
            Bus bus = second.connect();
            String channel = second.channel(PORT);
            RegistrationException refused =
                    assertThrows(
                            RegistrationException.class,
                            () -> bus.addSubscription(Host.received(channel), 1));
            assertEquals(ErrorCode.GENERIC_ERROR, refused.code());
            assertTrue(refused.getMessage().contains("in use"), refused.getMessage());
            assertTrue(refused.getMessage().contains("another port"), refused.getMessage());
            assertTrue(in.hasNoImages());
        }
    }

    @Test
    void reportsAddressWithoutLocalDevice() {
        try (Host host = Host.b()) {
            Bus bus = host.connect();
            RegistrationException refused =
                    assertThrows(
                            RegistrationException.class,
                            () -> bus.addSubscription(channelTo("192.0.2.1", PORT, ""), 1));
            assertTrue(refused.getMessage().contains("192.0.2.1"), refused.getMessage());
        }
    }

    @Test
    void reportsUnreachablePeer() {
        String absent = Host.addressB().substring(0, Host.addressB().lastIndexOf('.')) + ".99";
        try (Host host = Host.a()) {
            List<String> refusals = new CopyOnWriteArrayList<>();
            Bus bus =
                    host.connect(
                            context ->
                                    context.publicationErrorHandler(
                                            (out, code, text) -> refusals.add(text)));
            host.expect(absent + ":" + PORT);
            try (Publication out = bus.addPublication(channelTo(absent, PORT, ""), 1)) {
                awaitRefusal(refusals, absent + ":" + PORT);
                assertTrue(!out.isConnected());
                host.awaitError(absent + ":" + PORT);
            } catch (RegistrationException atOnce) {
                assertTrue(atOnce.getMessage().contains(absent + ":" + PORT), atOnce.getMessage());
            }
        }
    }
}
