// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/**
 * A process of a run. It is told on standard input what to do, and says on standard output how far
 * it is: one line each, a word first. It ends when its input does, so that it does not outlive the
 * command that started it.
 *
 * <p>Between the parts of a run it polls only each millisecond, so that another bus can be measured
 * on the same processors meanwhile.
 */
public final class Worker {
    /** Said: name and version follow, of the bus or of the driver that is all there is. */
    public static final String VERSION = "version";

    /** Said: both streams of this end are set up, or the driver. */
    public static final String READY = "ready";

    /** Said: messages done so far follow. */
    public static final String PROGRESS = "progress";

    /**
     * Said: the {@link Measurement}, the {@link StreamPart} or the {@link Recording} of what was
     * asked for follows.
     */
    public static final String RESULT = "result";

    /** Said once: the monotonic time of the first echo, in nanoseconds, follows. */
    public static final String FIRST = "first";

    /** Said before a result: when a round trip was due, and how long it took, in nanoseconds. */
    public static final String OUTLIER = "outlier";

    /** Told: number of messages to measure follows. Not told to an end that only reflects. */
    public static final String RUN = "run";

    /** Told to an end that only reflects: be quick. */
    public static final String RESUME = "resume";

    /**
     * Told to an end that only reflects, or only sends a stream: leave the processors to others.
     */
    public static final String PAUSE = "pause";

    /** System property of an end that reflects: its number, from 0, where there are several. */
    public static final String NUMBER_PROPERTY = "verbus.perf.number";

    /** Sets up a bus. */
    @FunctionalInterface
    public interface Stacks {
        /**
         * Sets it up for one process.
         *
         * @param work to do.
         * @param role of the process: see {@link Work#hasDriver}.
         * @param directory of the driver.
         */
        Stack setUp(Work work, Role role, String directory);
    }

    /** Launches the driver of a bus. */
    @FunctionalInterface
    public interface Drivers {
        /**
         * Launches it as the only part of a process.
         *
         * @param work of the ends that use it.
         * @param directory of the driver.
         */
        LocalDriver launch(Work work, String directory);
    }

    private final Work work;
    private final Orders orders;

    /**
     * @param work to do.
     * @param in tells what to do.
     * @param out takes what is said.
     */
    public Worker(Work work, InputStream in, PrintStream out) {
        this.work = work;
        orders = new Orders(in, out);
    }

    /**
     * Body of a worker's {@code main}: a role, the driver's directory, and the work.
     *
     * @param stacks sets up the bus.
     */
    public static void main(String[] args, Stacks stacks) {
        main(
                args,
                stacks,
                (work, directory) -> {
                    throw new IllegalArgumentException(
                            "this has no driver that a process of its own could run: leave"
                                    + " --drivers out");
                });
    }

    /**
     * As above.
     *
     * @param stacks sets up the bus.
     * @param drivers launches its driver, where that is all that the process has.
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

    /** Folder for what a process of a run keeps on disk, beside its driver's directory. */
    public static Path files(Path directory) {
        return Path.of(System.getProperty("java.io.tmpdir"))
                .resolve(directory.getFileName() + "-files");
    }

    /** Does this process's part. */
    public void run(Role role, Stack stack) {
        orders.say(VERSION, stack.version());
        switch (work.load().kind()) {
            case STREAM -> new StreamWorker(work, orders, stack).run(role);
            case ROUND_TRIPS -> new RoundTripWorker(work, orders, stack).run(role);
            case RECORDINGS -> new RecordingWorker(orders, stack).run(role);
        }
    }
}
