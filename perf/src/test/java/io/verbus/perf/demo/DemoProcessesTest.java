// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** {@code verbus demo} without RDMA, as the processes that it really is. */
class DemoProcessesTest {
    private static final long LIMIT_S = 80;

    @TempDir Path folder;

    private Process demo;

    @AfterEach
    void endWhatATestLeftRunning() throws InterruptedException {
        if (demo != null && demo.isAlive()) {
            demo.descendants().forEach(ProcessHandle::destroyForcibly);
            demo.destroyForcibly().waitFor();
        }
    }

    @Test
    @Timeout(90)
    void verifiesEveryMessageAndSaysSoLast() throws Exception {
        start("--messages=20000", "--rate=4000");
        assertTrue(demo.waitFor(LIMIT_S, TimeUnit.SECONDS), "still runs; it said: " + errors());
        assertEquals(0, demo.exitValue(), errors());
        String last = Files.readAllLines(output()).getLast();
        assertTrue(
                last.matches(
                        "demo ok: transport=ipc device=shared-memory messages=20000 lost=0"
                                + " reordered=0 corrupt=0 p50_us=\\d+\\.\\d p99_us=\\d+\\.\\d"),
                last);
        assertTrue(errors().contains("20,000 of 20,000 messages verified"), errors());
        assertNothingIsLeft();
    }

    @Tag("slow")
    @Test
    @Timeout(90)
    void carriesMessagesOverUdpBetweenTwoDrivers() throws Exception {
        start("--transport=udp", "--messages=20000", "--rate=4000");
        assertTrue(demo.waitFor(LIMIT_S, TimeUnit.SECONDS), "still runs; it said: " + errors());
        assertEquals(0, demo.exitValue(), errors());
        String last = Files.readAllLines(output()).getLast();
        assertTrue(
                last.startsWith(
                        "demo ok: transport=udp device=127.0.0.1 messages=20000 lost=0"
                                + " reordered=0 corrupt=0 p50_us="),
                last);
        assertNothingIsLeft();
    }

    @Tag("slow")
    @Test
    @Timeout(90)
    void failsWhenAProcessDies() throws Exception {
        start("--messages=100000000");
        List<ProcessHandle> children = awaitProgress();
        child(children, SubscriberProcess.class).destroyForcibly();
        assertTrue(demo.waitFor(LIMIT_S, TimeUnit.SECONDS), "still runs; it said: " + errors());
        assertEquals(1, demo.exitValue(), errors());
        assertTrue(errors().contains("demo failed: the subscriber process ended early"), errors());
        assertEquals("", Files.readString(output()));
        awaitEnd(children);
        assertNothingIsLeft();
    }

    @Tag("slow")
    @Test
    @Timeout(90)
    void leavesNothingWhenItIsTerminated() throws Exception {
        start("--messages=100000000");
        List<ProcessHandle> children = awaitProgress();
        demo.destroy();
        assertTrue(demo.waitFor(LIMIT_S, TimeUnit.SECONDS), "still runs; it said: " + errors());
        awaitEnd(children);
        assertNothingIsLeft();
    }

    @Tag("slow")
    @Test
    @Timeout(90)
    void leavesNothingWhenItIsKilled() throws Exception {
        start("--messages=100000000");
        List<ProcessHandle> children = awaitProgress();
        demo.destroyForcibly();
        awaitEnd(children);
        assertNothingIsLeft();
    }

    @Test
    @Timeout(90)
    void refusesAWrongOptionInOneSentence() throws Exception {
        start("--messages=0");
        assertTrue(demo.waitFor(LIMIT_S, TimeUnit.SECONDS), "still runs; it said: " + errors());
        assertEquals(2, demo.exitValue(), errors());
        assertTrue(
                errors().contains("--messages takes a number from 1 to 100000000, not 0"),
                errors());
    }

    private void start(String... options) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                System.getProperty("java.home") + "/bin/java",
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                                "-XX:+UseParallelGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "io.verbus.driver.tools.Verbus",
                                "demo"));
        if (!options[0].startsWith("--transport")) {
            command.add("--transport=ipc");
        }
        command.addAll(List.of(options));
        demo =
                new ProcessBuilder(command)
                        .redirectOutput(output().toFile())
                        .redirectError(folder.resolve("errors").toFile())
                        .start();
    }

    private List<ProcessHandle> awaitProgress() throws IOException {
        await(() -> errors().contains("messages verified, "));
        List<ProcessHandle> children = demo.children().toList();
        assertEquals(3, children.size());
        return children;
    }

    private static ProcessHandle child(List<ProcessHandle> children, Class<?> main) {
        return children.stream()
                .filter(handle -> handle.info().commandLine().orElse("").contains(main.getName()))
                .findFirst()
                .orElseThrow();
    }

    private void awaitEnd(List<ProcessHandle> processes) {
        await(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            String prefix = "verbus-demo-" + demo.pid() + "-";
            assertFalse(files.anyMatch(file -> file.getFileName().toString().startsWith(prefix)));
        }
    }

    private void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, "waited in vain; it said: " + errors());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private Path output() {
        return folder.resolve("output");
    }

    private String errors() {
        try {
            return Files.readString(folder.resolve("errors"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
