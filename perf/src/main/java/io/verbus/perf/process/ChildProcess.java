// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.process;

import io.verbus.BusException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Process on this host that exits when its standard input ends. Thread-safe, except that one thread
 * reads the lines.
 */
public final class ChildProcess implements Link {
    /** Part of the {@link #ending} of a process that a signal ended. */
    public static final String SIGNAL = " (signal ";

    /** Exit status of a process that signal 0 would have ended. */
    private static final int SIGNALLED = 128;

    private static final int LAST_SIGNAL = 64;
    private static final long EXIT_TIMEOUT_S = 15;

    /** Time for the last lines of the standard error, which a grandchild may hold open. */
    private static final long ERRORS_TIMEOUT_S = 1;

    private final String name;
    private final Runnable afterEnd;
    private final Process process;
    private final PrintStream stdin;
    private final BufferedReader stdout;
    private final CompletableFuture<Void> errors;

    /**
     * Starts a process.
     *
     * @param name display name.
     * @param command words of the command line.
     * @param errors consumer of the lines of the standard error, called on another thread.
     * @param afterEnd action that removes the process's files; {@link #end} runs it, each time.
     * @throws BusException if the process cannot be started.
     */
    public ChildProcess(
            String name, List<String> command, Consumer<String> errors, Runnable afterEnd) {
        this.name = name;
        this.afterEnd = afterEnd;
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException ex) {
            throw new BusException(
                    "cannot start the "
                            + name
                            + " process ("
                            + ex.getMessage()
                            + "): check the JDK and the limits on processes and memory",
                    ex);
        }
        stdin = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        stdout = process.inputReader(StandardCharsets.UTF_8);
        this.errors =
                CompletableFuture.runAsync(
                        () -> follow(errors),
                        Thread.ofPlatform().daemon().name(name + "-errors")::start);
    }

    private void follow(Consumer<String> errors) {
        try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
            lines.lines().forEach(errors);
        } catch (IOException | UncheckedIOException ex) {
            if (process.isAlive()) {
                System.err.println(name + ": cannot read its standard error: " + ex.getMessage());
            }
        }
    }

    /** Returns the display name. */
    public String name() {
        return name;
    }

    @Override
    public void tell(String line) {
        stdin.println(line);
    }

    /** Tells the process to take its next step; see {@link ParentLink#awaitGo}. */
    public void go() {
        tell(ParentLink.GO);
    }

    @Override
    public String readLine() throws IOException {
        return stdout.readLine();
    }

    /**
     * Waits for the process to exit, and for its standard error to be read.
     *
     * @return exit status.
     */
    int awaitExit() {
        int status = process.onExit().join().exitValue();
        errors.completeOnTimeout(null, ERRORS_TIMEOUT_S, TimeUnit.SECONDS).join();
        return status;
    }

    @Override
    public String ending() {
        int status = awaitExit();
        int signal = status - SIGNALLED;
        return "ended with status "
                + status
                + (signal > 0 && signal <= LAST_SIGNAL ? SIGNAL + signal + ")" : "");
    }

    /** Kills the process (SIGKILL). Lines that it has printed can still be read. */
    public void kill() {
        process.toHandle().destroyForcibly();
    }

    /**
     * Stops the process (SIGSTOP), or resumes it (SIGCONT).
     *
     * @throws BusException if {@code kill} fails.
     */
    public void stop(boolean isStopped) throws InterruptedException {
        String signal = isStopped ? "-STOP" : "-CONT";
        try {
            Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
            if (kill.waitFor() != 0) {
                throw new BusException("kill " + signal + " of the " + name + " process failed");
            }
        } catch (IOException ex) {
            throw new BusException("cannot run kill (" + ex.getMessage() + "): install procps", ex);
        }
    }

    /** Closes the standard input of the process, which makes it exit cleanly. */
    public void askToEnd() {
        stdin.close();
    }

    @Override
    public synchronized void end() {
        askToEnd();
        try {
            if (!process.waitFor(EXIT_TIMEOUT_S, TimeUnit.SECONDS)) {
                System.err.println(
                        name + " did not exit within " + EXIT_TIMEOUT_S + " s and will be killed");
                process.destroyForcibly().waitFor();
            }
            afterEnd.run();
        } catch (InterruptedException ex) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
