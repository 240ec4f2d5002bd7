// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A child JVM with the same class path, to be killed. */
public final class ChildProcess implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;

    private ChildProcess(List<String> command, ProcessBuilder.Redirect error) {
        try {
            process = new ProcessBuilder(command).redirectError(error).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts a main class. */
    public static ChildProcess start(Class<?> main, String... args) {
        return start(List.of(), main, args);
    }

    /** Starts a main class through a wrapper command, such as one that sets limits. */
    public static ChildProcess start(List<String> prefix, Class<?> main, String... args) {
        return start(prefix, System.getProperty("java.class.path"), main, args);
    }

    /** Starts a main class with another class path through a wrapper command. */
    public static ChildProcess start(
            List<String> prefix, String classPath, Class<?> main, String... args) {
        return new ChildProcess(
                command(prefix, classPath, main, args), ProcessBuilder.Redirect.INHERIT);
    }

    /** Starts a main class whose standard error is a pipe that is never read. */
    public static ChildProcess startUnread(String classPath, Class<?> main, String... args) {
        return new ChildProcess(
                command(List.of(), classPath, main, args), ProcessBuilder.Redirect.PIPE);
    }

    /** Reads standard error up to a line that contains a text; null at its end. */
    public String awaitErrorLine(String text) {
        return process.errorReader(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains(text))
                .findFirst()
                .orElse(null);
    }

    private static List<String> command(
            List<String> prefix, String classPath, Class<?> main, String... args) {
        List<String> command = new ArrayList<>(prefix);
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
        command.add("-XX:+UseSerialGC");
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-Xmx128m");
        command.add("-XX:-UsePerfData");
        command.add("-cp");
        command.add(classPath);
        command.add(main.getName());
        command.addAll(List.of(args));
        return command;
    }

    /** The next line that the process prints; null at its end. */
    public String line() {
        try {
            return out.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads up to a line that starts with the text, and returns it. */
    public String awaitLine(String start) {
        for (String line = line(); line != null; line = line()) {
            if (line.startsWith(start)) {
                return line;
            }
        }
        throw new AssertionError("the process ended without printing " + start);
    }

    /** Sends a signal, such as STOP or CONT. */
    public void signal(String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Sends SIGKILL, and waits until the process has exited. */
    public void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    /** Sends SIGTERM, and returns the exit status. */
    public int terminate() {
        process.destroy();
        return awaitExit();
    }

    /** Sends SIGINT, and returns the exit status. */
    public int interrupt() {
        signal("INT");
        return awaitExit();
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until the process has ended, and returns the exit status. */
    public int awaitExit() {
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                throw new AssertionError("process " + process.pid() + " does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        awaitExit();
    }
}
