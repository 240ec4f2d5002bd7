// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.perf.run.AeronJars;

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

/** {@code verbus demo} in a process, as the launcher runs it. */
final class DemoRun implements AutoCloseable {
    private static final Pattern ORDERS =
            Pattern.compile("demo: ([0-9,]+) of [0-9,]+ orders acknowledged");

    /** As the launcher has them there; see "Limits" in docs/lab.md. */
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
     * Starts it.
     *
     * @param folder for what it says.
     * @param limitS of all that is waited for, seconds.
     * @param options of the demo.
     */
    DemoRun(Path folder, long limitS, List<String> options) throws IOException {
        this(folder, limitS, aeronJars(), options);
    }

    /**
     * As above.
     *
     * @param aeronJars folder of Aeron's jars.
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

    /** Starts it by the launcher, whose processes start fast by what the JVM was trained for. */
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
        if (DemoLab.isHere()) {
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

    /** Where the build puts them. */
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

    /** Its exit status, once it has ended. */
    int exitStatus() throws InterruptedException {
        assertTrue(demo.waitFor(limitS, TimeUnit.SECONDS), "still runs; it said: " + errors());
        return demo.exitValue();
    }

    /** Waits until messages flow; returns the demo's processes. */
    List<ProcessHandle> awaitProgress(int processes) {
        awaitSaid(() -> errors().contains("messages verified, "));
        List<ProcessHandle> children = demo.children().toList();
        assertEquals(processes, children.size());
        return children;
    }

    /** Waits until the demo has said something. */
    void awaitWords(String words) {
        awaitSaid(() -> errors().contains(words));
    }

    /** Waits until the cluster's client has been told of so many orders. */
    void awaitOrders(long orders) {
        awaitSaid(() -> orders() >= orders);
    }

    /** How many orders the cluster's client has been told of. */
    long orders() {
        return ORDERS.matcher(errors())
                .results()
                .mapToLong(line -> Long.parseLong(line.group(1).replace(",", "")))
                .max()
                .orElse(0);
    }

    /** The process whose command has a word. */
    static ProcessHandle child(List<ProcessHandle> children, String word) {
        return children.stream()
                .filter(handle -> command(handle).contains(word))
                .findFirst()
                .orElseThrow();
    }

    /** Whole: the JDK tells the first 4,096 bytes, which a class path may fill. */
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

    /** Waits for what only a demo that runs can say. */
    private void awaitSaid(BooleanSupplier isSaid) {
        await(
                () -> {
                    boolean isRunning = demo.isAlive();
                    boolean isOver = isSaid.getAsBoolean();
                    assertTrue(isOver || isRunning, () -> "ended too early; it said: " + errors());
                    return isOver;
                });
    }

    private void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, () -> "waited in vain; it said: " + errors());
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

    /** Ends what a test left running. */
    @Override
    public void close() {
        if (demo.isAlive()) {
            demo.descendants().forEach(ProcessHandle::destroyForcibly);
            demo.destroyForcibly().onExit().join();
        }
    }
}
