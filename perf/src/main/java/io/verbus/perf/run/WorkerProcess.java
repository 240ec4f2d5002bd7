// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.BusException;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Stall;
import io.verbus.perf.load.StallList;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;
import io.verbus.perf.process.ChildProcess;
import io.verbus.perf.process.JavaProgram;
import io.verbus.perf.process.Link;

import org.agrona.IoUtil;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A {@link Worker} in its own JVM with this JVM's flags, or with those of the server that starts it
 * on another host. Its standard error is passed to this process's. The worker ends when this object
 * is closed or this process ends.
 */
final class WorkerProcess implements AutoCloseable {
    /** Disables bounds checks on buffer accesses, as latency-sensitive users do. */
    static final List<String> MEASURING_FLAGS = List.of("-Dagrona.disable.bounds.checks=true");

    private static final String END = "";

    private final String name;
    private final Path directory;
    private final boolean isDriver;
    private final Link link;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final Thread shutdownHook = Thread.ofPlatform().unstarted(this::end);
    private final long startedNs;
    private String version = "";
    private long firstNs;
    private StallList stalls = new StallList();

    WorkerProcess(Contender contender, Role role, Work work, List<String> moreFlags) {
        this(contender, role, work, moreFlags, List.of(), newDirectory(role));
    }

    /**
     * @param tracer command that runs the JVM; empty for none.
     * @param directory directory of the driver; deleted with the process that runs the driver.
     */
    WorkerProcess(
            Contender contender,
            Role role,
            Work work,
            List<String> moreFlags,
            List<String> tracer,
            Path directory) {
        this(
                name(contender, role),
                directory,
                role == Role.DRIVER,
                () ->
                        start(
                                contender,
                                role,
                                work,
                                moreFlags,
                                tracer,
                                directory,
                                System.err::println));
    }

    /**
     * Starts a worker on this host.
     *
     * @param tracer command that runs the JVM; empty for none.
     * @param directory directory of the driver; deleted with the process that runs the driver.
     * @param errors consumer of the lines of the standard error.
     */
    static ChildProcess start(
            Contender contender,
            Role role,
            Work work,
            List<String> moreFlags,
            List<String> tracer,
            Path directory,
            Consumer<String> errors) {
        List<String> arguments = new ArrayList<>(List.of(role.name(), directory.toString()));
        arguments.addAll(work.toArguments());
        List<String> command = new ArrayList<>(tracer);
        command.addAll(
                contender.program().with(MEASURING_FLAGS).with(moreFlags).command(arguments));
        String name = name(contender, role);
        return new ChildProcess(
                name,
                command,
                errors,
                () -> {
                    delete(name, Worker.files(directory));
                    if (work.hasDriver(role)) {
                        delete(name, directory);
                    }
                });
    }

    private static void delete(String name, Path folder) {
        IoUtil.delete(
                folder.toFile(),
                ex -> System.err.println("cannot clean up after " + name + ": " + ex));
    }

    private static String name(Contender contender, Role role) {
        return contender
                + switch (role) {
                    case BOTH -> " process";
                    case INITIATOR -> " sending process";
                    case REFLECTOR -> " receiving process";
                    case DRIVER -> " driver process";
                };
    }

    private WorkerProcess(String name, Path directory, boolean isDriver, Supplier<Link> start) {
        this.name = name;
        this.directory = directory;
        this.isDriver = isDriver;
        startedNs = System.nanoTime();
        link = start.get();
        Runtime.getRuntime().addShutdownHook(shutdownHook);
        Thread.ofPlatform().daemon().name(name).start(this::readLines);
    }

    /** Starts a reflecting or receiving worker on the host of the work's server. */
    static WorkerProcess remote(Contender contender, Work work) {
        return new WorkerProcess(
                name(contender, Role.REFLECTOR),
                Path.of(""),
                false,
                () ->
                        new RemoteLink(
                                work.server(),
                                work.initiator(),
                                work.reflector(),
                                PerfServer.worker(contender, work)));
    }

    /** Returns a directory name for the driver of a new process; does not create it. */
    static Path newDirectory(Role role) {
        return Path.of("/dev/shm")
                .resolve(
                        "verbus-perf-"
                                + ProcessHandle.current().pid()
                                + "-"
                                + role
                                + "-"
                                + Long.toUnsignedString(System.nanoTime(), 36));
    }

    /** Returns the directory of the driver that the worker runs or uses. */
    Path directory() {
        return directory;
    }

    /** Returns the flags of a worker's JVM. */
    static List<String> flags() {
        return Stream.concat(JavaProgram.portableFlags().stream(), MEASURING_FLAGS.stream())
                .toList();
    }

    /** Returns whether the process runs only a driver. */
    boolean isDriver() {
        return isDriver;
    }

    /** Returns the name and version of the contender; empty until reported. */
    String version() {
        return version;
    }

    /**
     * Returns the nanoseconds from the worker's start to its first echo, once {@link #await} has
     * returned a result.
     */
    long firstEchoNs() {
        return firstNs - startedNs;
    }

    /** Returns the stalls reported since the last call. */
    StallList takeStalls() {
        StallList taken = stalls;
        stalls = new StallList();
        return taken;
    }

    /** Sends an order to the process. */
    void tell(String order) {
        link.tell(order);
    }

    /** Returns the nanoseconds by which the worker's monotonic clock is ahead of this process's. */
    long clockAheadNs() {
        return link.clockAheadNs();
    }

    /**
     * Waits for a line that begins with a keyword.
     *
     * @param progress consumer of the number of completed round trips while waiting.
     * @return the rest of the line.
     * @throws IllegalStateException if the process ends early, or prints nothing for too long.
     */
    String await(String word, long silenceTimeoutS, LongConsumer progress) {
        while (true) {
            String line = nextLine(silenceTimeoutS);
            String rest = line.substring(Math.min(line.length(), line.indexOf(' ') + 1));
            if (line.startsWith(Worker.VERSION)) {
                version = rest;
            } else if (line.startsWith(Worker.FIRST)) {
                firstNs = Long.parseLong(rest);
            } else if (line.startsWith(Worker.STALL)) {
                stalls.add(Stall.parse(rest));
            } else if (line.startsWith(Worker.UNLISTED)) {
                stalls.addUnlisted(rest);
            } else if (line.startsWith(Worker.PROGRESS)) {
                progress.accept(Long.parseLong(rest));
            }
            if (line.startsWith(word)) {
                return rest;
            }
        }
    }

    private String nextLine(long timeoutS) {
        try {
            String line = lines.poll(timeoutS, TimeUnit.SECONDS);
            if (line == null) {
                throw new BusException(
                        name + " printed nothing for " + timeoutS + " s, so it was terminated");
            }
            if (line.equals(END)) {
                String ending = link.ending();
                throw new BusException(
                        name
                                + " "
                                + ending
                                + " before it finished: "
                                + (ending.contains(ChildProcess.SIGNAL)
                                        ? "check the kernel's log for lack of memory, and"
                                                + " whether a user stopped it"
                                        : "see its output above"));
            }
            return line;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new BusException("interrupted while waiting for " + name, ex);
        }
    }

    private void readLines() {
        try {
            for (String line = link.readLine(); line != null; line = link.readLine()) {
                lines.add(line);
            }
        } catch (IOException ex) {
            System.err.println("cannot read the output of " + name + ": " + ex);
        }
        lines.add(END);
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException ex) {
            return; // this process is exiting, and its shutdown hook has nothing left to do
        }
    }

    private void end() {
        link.end();
    }
}
