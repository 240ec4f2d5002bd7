// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.perf.process.AeronJars;
import io.verbus.perf.process.Lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code verbus demo} in a separate process, started as by the launcher. */
final class DemoRun implements AutoCloseable {
    private static final Pattern ORDERS =
            Pattern.compile("demo: ([0-9,]+) of [0-9,]+ orders acknowledged");

    /** Name of the launcher's directory in the lab; see "Limits" in docs/lab.md. */
    private static final List<String> LAB_FLAGS =
            List.of(
                    "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:ArchiveRelocationMode=0",
                    "-XX:TieredStopAtLevel=1");

    private final Path output;
    private final Path errors;
    private final long limitS;
    private final Process demo;

    /**
     * Starts the demo.
     *
     * @param folder directory for its output.
     * @param limitS time limit for all waits in seconds.
     * @param options options of the demo.
     */
    DemoRun(Path folder, long limitS, List<String> options) throws IOException {
        this(folder, limitS, aeronJars(), options);
    }

    /**
     * Starts the demo with Aeron's jars from another directory.
     *
     * @param aeronJars directory of Aeron's jars.
     */
    DemoRun(Path folder, long limitS, Path aeronJars, List<String> options) throws IOException {
        this(folder, limitS, java(aeronJars), options);
    }

    private DemoRun(Path folder, long limitS, List<String> demoCommand, List<String> options)
            throws IOException {
        output = folder.resolve("output");
        errors = folder.resolve("errors");
        this.limitS = limitS;
        List<String> command = new ArrayList<>(demoCommand);
        command.addAll(options);
        demo =
                new ProcessBuilder(command)
                        .redirectOutput(output.toFile())
                        .redirectError(errors.toFile())
                        .start();
    }

    /**
     * Starts the demo with the launcher, whose processes start fast with the trained JVM caches.
     */
    static DemoRun launched(Path folder, long limitS, List<String> options) throws IOException {
        return new DemoRun(folder, limitS, List.of(inTree("verbus").toString(), "demo"), options);
    }

    private static List<String> java(Path aeronJars) {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                System.getProperty("java.home") + "/bin/java",
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                                "-XX:+UseParallelGC",
                                "-XX:+ErrorFileToStderr",
                                "-D" + AeronJars.FOLDER_PROPERTY + "=" + aeronJars));
        if (Lab.isHere()) {
            command.addAll(LAB_FLAGS);
        }
        command.addAll(
                List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.verbus.driver.tools.Verbus",
                        "demo"));
        return command;
    }

    /** Returns the directory into which the build copies Aeron's jars. */
    private static Path aeronJars() {
        return inTree("target/dist/peer");
    }

    private static Path inTree(String path) {
        try {
            Path classes = // of tests, which are in no jar
                    Path.of(
                            DemoRun.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI());
            return classes.resolve("../../..").resolve(path).normalize();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    Process process() {
        return demo;
    }

    /** Waits for the demo to exit; returns its exit status. */
    int exitStatus() throws InterruptedException {
        assertTrue(
                demo.waitFor(limitS, TimeUnit.SECONDS),
                "still running; its output:" + " " + errors());
        return demo.exitValue();
    }

    /** Waits until messages flow; returns the demo's processes. */
    List<ProcessHandle> awaitProgress(int processes) {
        awaitSaid(() -> errors().contains("messages verified, "));
        List<ProcessHandle> children = demo.children().toList();
        assertEquals(processes, children.size());
        return children;
    }

    /** Waits until the demo has printed some words. */
    void awaitWords(String words) {
        awaitSaid(() -> errors().contains(words));
    }

    /** Waits until the cluster's client has received this many acknowledgements. */
    void awaitOrders(long orders) {
        awaitSaid(() -> orders() >= orders);
    }

    /** Returns the number of orders acknowledged to the cluster's client. */
    long orders() {
        return ORDERS.matcher(errors())
                .results()
                .mapToLong(line -> Long.parseLong(line.group(1).replace(",", "")))
                .max()
                .orElse(0);
    }

    /** Returns the process whose command contains a word. */
    static ProcessHandle child(List<ProcessHandle> children, String word) {
        return children.stream()
                .filter(handle -> command(handle).contains(word))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Returns the whole command line; the JDK truncates it to 4,096 bytes, which a class path may
     * exceed.
     */
    private static String command(ProcessHandle process) {
        return read(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
    }

    void awaitEnd(List<ProcessHandle> processes) {
        await(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
    }

    void assertNothingIsLeft() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            String prefix = "verbus-demo-" + demo.pid() + "-";
            assertFalse(files.anyMatch(file -> file.getFileName().toString().startsWith(prefix)));
        }
    }

    /** Waits for output that only a running demo can print. */
    private void awaitSaid(BooleanSupplier isSaid) {
        await(
                () -> {
                    boolean isRunning = demo.isAlive();
                    boolean isOver = isSaid.getAsBoolean();
                    assertTrue(
                            isOver || isRunning,
                            () -> "exited too early; its output:" + " " + errors());
                    return isOver;
                });
    }

    private void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, () -> "timed out; its output: " + errors());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    String output() {
        return read(output);
    }

    String errors() {
        return read(errors);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills processes that a test left running. */
    @Override
    public void close() {
        if (demo.isAlive()) {
            demo.descendants().forEach(ProcessHandle::destroyForcibly);
            demo.destroyForcibly().onExit().join();
        }
    }
}
