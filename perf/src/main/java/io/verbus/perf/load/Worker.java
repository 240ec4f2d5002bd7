// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/**
 * Worker process of a run. It reads orders from standard input, and writes reports to standard
 * output. Each is one line that begins with a keyword. It exits when its input ends, so that it
 * does not outlive the command that started it.
 *
 * <p>Between the parts of a run it polls rarely, so that another bus can be measured on the same
 * processors in the meantime.
 */
public final class Worker {
    /** Output: name and version of the bus, or of the driver if the process runs only a driver. */
    public static final String VERSION = "version";

    /** Output: both of this end's streams are connected, or the driver is running. */
    public static final String READY = "ready";

    /** Output: number of messages completed so far. */
    public static final String PROGRESS = "progress";

    /**
     * Output: result of an order, as a {@link Measurement}, {@link StreamPart} or {@link
     * Recording}.
     */
    public static final String RESULT = "result";

    /** Output, once: monotonic time of the first echo, in nanoseconds. */
    public static final String FIRST = "first";

    /** Output, before a result: a {@link Stall}. */
    public static final String STALL = "stall";

    /** Output, before a result: number of stalls that are not listed, and of their messages. */
    public static final String UNLISTED = "unlisted";

    /** Order: measure this number of messages. Not sent to an end that only reflects. */
    public static final String RUN = "run";

    /** Order to an end that only reflects: poll quickly. */
    public static final String RESUME = "resume";

    /**
     * Order to an end that only reflects or only sends a stream: leave the processors to other
     * processes.
     */
    public static final String PAUSE = "pause";

    /** System property: number of a reflecting process, counted from 0, if there are several. */
    public static final String NUMBER_PROPERTY = "verbus.perf.number";

    /** Sets up a bus. */
    @FunctionalInterface
    public interface Stacks {
        /**
         * Sets up the bus for one process.
         *
         * @param work work to do.
         * @param role role of the process; see {@link Work#hasDriver}.
         * @param directory directory of the driver.
         */
        Stack setUp(Work work, Role role, String directory);
    }

    /** Launches the driver of a bus. */
    @FunctionalInterface
    public interface Drivers {
        /**
         * Launches the driver in its own process.
         *
         * @param work work of the ends that use the driver.
         * @param directory directory of the driver.
         */
        LocalDriver launch(Work work, String directory);
    }

    private final Work work;
    private final Orders orders;

    /**
     * @param work work to do.
     * @param in source of the orders.
     * @param out destination of the output.
     */
    public Worker(Work work, InputStream in, PrintStream out) {
        this.work = work;
        orders = new Orders(in, out);
    }

    /**
     * Runs a worker process; the arguments are its role, the driver's directory, and the work.
     *
     * @param stacks factory of the bus.
     */
    public static void main(String[] args, Stacks stacks) {
        main(
                args,
                stacks,
                (work, directory) -> {
                    throw new IllegalArgumentException(
                            "this peer has no driver that can run in its own process: omit"
                                    + " --drivers");
                });
    }

    /**
     * Runs a worker process; the arguments are its role, the driver's directory, and the work.
     *
     * @param stacks factory of the bus.
     * @param drivers launcher for a process that runs only a driver.
     */
    public static void main(String[] args, Stacks stacks, Drivers drivers) {
        Role role = Role.valueOf(args[0]);
        Work work = Work.parse(List.of(args).subList(2, args.length));
        Worker worker = new Worker(work, System.in, System.out);
        int status = 0;
        try {
            if (role == Role.DRIVER) {
                worker.drive(drivers, args[1]);
            } else {
                worker.run(stacks, role, args[1]);
            }
        } catch (RuntimeException ex) {
            System.err.println(ex.getMessage() == null ? ex.toString() : ex.getMessage());
            if (Boolean.getBoolean("verbus.perf.trace")) {
                ex.printStackTrace();
            }
            status = 1;
        }
        System.exit(status);
    }

    private void drive(Drivers drivers, String directory) {
        try (LocalDriver driver = drivers.launch(work, directory)) {
            orders.say(VERSION, driver.version());
            orders.say(READY, "");
            orders.awaitEnd();
        }
    }

    private void run(Stacks stacks, Role role, String directory) {
        try (Stack stack = stacks.setUp(work, role, directory)) {
            run(role, stack);
        }
    }

    /** Returns the directory for a process's files on disk, derived from its driver's directory. */
    public static Path files(Path directory) {
        return Path.of(System.getProperty("java.io.tmpdir"))
                .resolve(directory.getFileName() + "-files");
    }

    /** Runs this process's part of the work. */
    public void run(Role role, Stack stack) {
        orders.say(VERSION, stack.version());
        switch (work.load().kind()) {
            case STREAM -> new StreamWorker(work, orders, stack).run(role);
            case ROUND_TRIPS -> new RoundTripWorker(work, orders, stack).run(role);
            case RECORDINGS -> new RecordingWorker(orders, stack).run(role);
        }
    }
}
