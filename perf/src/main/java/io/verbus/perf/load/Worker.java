// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;

/**
 * Worker process of a run. It reads commands from standard input, and writes reports to standard
 * output. Each command and report is one line that begins with a keyword. The process exits when
 * its input ends, so that it does not outlive the command that started it.
 *
 * <p>Between the parts of a run it polls rarely, so that another contender can be measured on the
 * same processors in the meantime.
 */
public final class Worker {
    /**
     * Output: name and version of the contender, or of the driver if the process runs only a
     * driver.
     */
    public static final String VERSION = "version";

    /** Output: both of this end's streams are connected, or the driver is running. */
    public static final String READY = "ready";

    /** Output: number of messages completed so far. */
    public static final String PROGRESS = "progress";

    /**
     * Output: result of a command, as a {@link Measurement}, {@link StreamPart} or {@link
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

    private final Work work;
    private final WorkerProtocol protocol;

    /**
     * @param work work to do.
     * @param in source of the commands.
     * @param out destination of the output.
     */
    public Worker(Work work, InputStream in, PrintStream out) {
        this.work = work;
        protocol = new WorkerProtocol(in, out);
    }

    /** Reports a driver as running, and waits until this process's input ends. */
    public void drive(LocalDriver driver) {
        protocol.say(VERSION, driver.version());
        protocol.say(READY, "");
        protocol.awaitEnd();
    }

    /** Returns the directory for a process's files on disk, derived from its driver's directory. */
    public static Path files(Path directory) {
        return Path.of(System.getProperty("java.io.tmpdir"))
                .resolve(directory.getFileName() + "-files");
    }

    /** Runs this process's part of the work. */
    public void run(Role role, Stack stack) {
        protocol.say(VERSION, stack.version());
        switch (work.load().kind()) {
            case STREAM -> new StreamWorker(work, protocol, stack).run(role);
            case ROUND_TRIPS -> new RoundTripWorker(work, protocol, stack).run(role);
            case RECORDINGS -> new RecordingWorker(protocol, stack).run(role);
        }
    }
}
