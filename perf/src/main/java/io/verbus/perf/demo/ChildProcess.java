// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Process that runs a {@link JavaProgram}. Its standard error is passed on, prefixed with its name;
 * its standard output and its exit become events.
 */
public final class ChildProcess {
    private static final long ENDING_MS = 15_000;

    /**
     * On an emulated processor, the optimizing compiler costs more time in one demo than it saves.
     */
    private static final String FAST_START = "-XX:TieredStopAtLevel=1";

    private final String name;
    private final Process process;
    private final PrintStream stdin;

    private ChildProcess(String name, Process process) {
        this.name = name;
        this.process = process;
        stdin = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /**
     * Starts a process.
     *
     * @param name display name.
     * @param events queue that receives its events; never full.
     * @param program program to run.
     * @param arguments arguments of the program.
     */
    static ChildProcess start(
            String name,
            BlockingQueue<ChildEvent> events,
            JavaProgram program,
            List<String> arguments)
            throws DemoException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin/java");
        command.addAll(program.flags());
        if (DemoLab.isHere()) {
            command.add(FAST_START);
        }
        command.addAll(List.of("-cp", program.classPath(), program.main()));
        command.addAll(arguments);
        try {
            ChildProcess child = new ChildProcess(name, new ProcessBuilder(command).start());
            Thread errors =
                    child.follow(
                            child.process.getErrorStream(),
                            line -> System.err.println(name + ": " + line));
            Thread output =
                    child.follow(
                            child.process.getInputStream(),
                            line -> events.add(new ChildEvent.Said(child, line)));
            Thread.ofPlatform()
                    .daemon()
                    .name(name + "-end")
                    .start(() -> events.add(child.awaitEnd(output, errors)));
            return child;
        } catch (IOException e) {
            throw new DemoException(
                    "cannot start the "
                            + name
                            + " process ("
                            + e.getMessage()
                            + "): check the JDK and the limits on processes and memory",
                    e);
        }
    }

    private Thread follow(InputStream stream, Consumer<String> action) {
        return Thread.ofPlatform()
                .daemon()
                .name(name + "-output")
                .start(
                        () -> {
                            try (BufferedReader lines =
                                    new BufferedReader(
                                            new InputStreamReader(
                                                    stream, StandardCharsets.UTF_8))) {
                                lines.lines().forEach(action);
                            } catch (IOException | java.io.UncheckedIOException e) {
                                System.err.println(
                                        name + ": cannot read its output:" + " " + e.getMessage());
                            }
                        });
    }

    private ChildEvent awaitEnd(Thread output, Thread errors) {
        while (true) {
            try {
                int status = process.waitFor();
                output.join();
                errors.join();
                return new ChildEvent.Ended(this, status);
            } catch (InterruptedException e) {
                // No code interrupts this thread on purpose, and the exit must still be reported.
                continue;
            }
        }
    }

    /** Returns the display name. */
    public String name() {
        return name;
    }

    /** Tells the process to take its next step; see {@link ParentLink}. */
    public void go() {
        stdin.println(ParentLink.GO);
    }

    /** Kills the process (SIGKILL). */
    public void kill() {
        process.destroyForcibly();
    }

    /**
     * Stops the process (SIGSTOP), or resumes it (SIGCONT).
     *
     * @throws DemoException if {@code kill} fails.
     */
    public void stop(boolean isStopped) throws DemoException, InterruptedException {
        String signal = isStopped ? "-STOP" : "-CONT";
        try {
            Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
            if (kill.waitFor() != 0) {
                throw new DemoException("kill " + signal + " of the " + name + " process failed");
            }
        } catch (IOException e) {
            throw new DemoException("cannot run kill (" + e.getMessage() + "): install procps", e);
        }
    }

    /** Closes the standard input of the process, which makes it exit cleanly. */
    public void askToEnd() {
        stdin.close();
    }

    /** Asks the process to exit, and kills it if it takes too long. */
    void end() {
        askToEnd();
        try {
            if (!process.waitFor(ENDING_MS, TimeUnit.MILLISECONDS)) {
                System.err.println(name + " did not exit within 15 s and will be killed");
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
