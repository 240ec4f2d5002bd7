// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.driver.Await;
import io.verbus.driver.MediaDriver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process of the test: its output lines, its end, and a check that its JVM does not crash. */
final class Child implements AutoCloseable {
    /** Exit status of a process ended by SIGKILL. */
    private static final int KILLED = 128 + 9;

    /** Exit status of a driver after SIGTERM. */
    private static final int CLOSED = 0;

    /** JVM flags of {@code lab/junit} for a fast start, if any. */
    private static final String AOT_CACHE = System.getProperty("verbus.test.aot");

    private final String name;
    private final Path folder;
    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    private Child(String name, Path folder, Process process) {
        this.name = name;
        this.folder = folder;
        this.process = process;
        Thread.ofPlatform().daemon().start(this::readLines);
    }

    /**
     * Starts a driver process and waits until it is ready.
     *
     * @param wrapper command that runs it, such as one that lowers a limit; may be empty.
     * @param folder that it runs in, and leaves reports of crashes in.
     * @param directory of the driver.
     * @param settings of the driver, as {@code name=value}.
     */
    static Child driver(List<String> wrapper, Path folder, Path directory, String... settings) {
        return driver(wrapper, ownClassPath(), folder, directory, settings);
    }

    /** Starts a driver of a class path, as {@link #driver(List, Path, Path, String...)} does. */
    static Child driver(String classPath, Path folder, Path directory, String... settings) {
        return driver(List.of(), classPath, folder, directory, settings);
    }

    private static Child driver(
            List<String> wrapper,
            String classPath,
            Path folder,
            Path directory,
            String... settings) {
        List<String> arguments = new ArrayList<>();
        arguments.add(MediaDriver.class.getName());
        arguments.add("dir=" + directory);
        arguments.add("threading=shared");
        arguments.addAll(List.of(settings));
        Child child = start("driver of " + directory, wrapper, classPath, folder, arguments);
        child.await("verbus driver ready");
        return child;
    }

    private static String ownClassPath() {
        return System.getProperty("java.class.path");
    }

    /** Starts a driver and has it open its transport, which takes an emulated machine seconds. */
    static Child rdmaDriver(Path folder, Path directory, String address, String... settings) {
        Child child = driver(List.of(), folder, directory, settings);
        BusContext context =
                new BusContext()
                        .directoryName(directory.toString())
                        .driverTimeout(Duration.ofSeconds(60));
        try (Bus bus = Bus.connect(context)) {
            bus.addSubscription("verbus:rdma?endpoint=" + address + ":24333", 1).close();
        }
        return child;
    }

    /** Starts a client process, see {@link Peer}. */
    static Child peer(Path folder, String what, Path directory, String channel, int streamId) {
        List<String> arguments =
                List.of(
                        Peer.class.getName(),
                        what,
                        directory.toString(),
                        channel,
                        Integer.toString(streamId));
        return start(what, List.of(), folder, arguments);
    }

    /**
     * Starts a process.
     *
     * @param arguments main class, and what follows.
     */
    static Child start(String name, List<String> wrapper, Path folder, List<String> arguments) {
        return start(name, wrapper, ownClassPath(), folder, arguments);
    }

    private static Child start(
            String name,
            List<String> wrapper,
            String classPath,
            Path folder,
            List<String> arguments) {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
        command.add("-Xmx128m");
        command.add("-XX:+UseSerialGC");
        command.add("-XX:TieredStopAtLevel=1");
        // The archived heap where it was dumped for: relocating it takes an emulator a second.
        command.add("-XX:+UnlockDiagnosticVMOptions");
        command.add("-XX:ArchiveRelocationMode=0");
        if (AOT_CACHE != null) {
            command.add("-XX:AOTCache=" + AOT_CACHE);
        }
        command.add("-XX:ErrorFile=" + folder + "/hs_err_%p.log");
        command.add("-cp");
        command.add(classPath);
        command.addAll(arguments);
        try {
            Process process =
                    new ProcessBuilder(command)
                            .directory(folder.toFile())
                            .redirectErrorStream(true)
                            .start();
            return new Child(name, folder, process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void readLines() {
        try (BufferedReader reader = process.inputReader()) {
            String line;
            while ((line = reader.readLine()) != null) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add("output cannot be read: " + e);
        }
    }

    /** Number of printed lines: lines awaited from there on are new. */
    int mark() {
        return lines.size();
    }

    /** Waits for a line that begins so. */
    String await(String beginning) {
        return await(beginning, 0);
    }

    /** Waits for a line that begins so, after the mark. */
    String await(String beginning, int mark) {
        Await.until(
                () -> "'" + beginning + "' from " + this,
                120,
                () -> find(beginning, mark) != null || !process.isAlive());
        String found = find(beginning, mark);
        if (found == null) {
            // The last lines may still be in flight.
            Await.until(
                    () -> "'" + beginning + "' from " + this,
                    5,
                    () -> find(beginning, mark) != null);
            found = find(beginning, mark);
        }
        return found;
    }

    private String find(String beginning, int mark) {
        List<String> said = lines;
        for (int i = mark; i < said.size(); i++) {
            if (said.get(i).startsWith(beginning)) {
                return said.get(i);
            }
        }
        return null;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGSTOP. The process does nothing until it is killed. */
    void suspend() {
        try {
            int status =
                    new ProcessBuilder("kill", "-STOP", Long.toString(process.pid()))
                            .inheritIO()
                            .start()
                            .waitFor();
            assertEquals(0, status, "status of kill");
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** SIGKILL. */
    void kill() {
        process.destroyForcibly();
        assertEnd(KILLED);
    }

    /** SIGTERM, as an operator stops a driver, which closes in good order. */
    void terminate() {
        process.destroy();
        assertEnd(CLOSED);
    }

    /** Ends its standard input, upon which a client ends. */
    void endInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for its regular exit, without a crash. */
    void assertEnd(int status) {
        try {
            if (!process.waitFor(120, TimeUnit.SECONDS)) {
                throw new AssertionError(this + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
        assertEquals(status, process.exitValue(), this::toString);
        assertNoCrash(folder);
    }

    static void assertNoCrash(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(
                    List.of(),
                    files.filter(file -> file.getFileName().toString().startsWith("hs_err"))
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills it; for the end of a test that may have failed. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        int from = Math.max(0, lines.size() - 15);
        return name
                + " (pid "
                + process.pid()
                + (process.isAlive() ? "" : ", ended with " + process.exitValue())
                + "), which said last:\n  "
                + String.join("\n  ", lines.subList(from, lines.size()));
    }
}
