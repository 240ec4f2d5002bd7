// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Recording;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.StallList;
import io.verbus.perf.load.StreamPart;
import io.verbus.perf.load.Throughput;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * Runs a contender's processes for the given work: one process with two measuring threads; two with
 * one thread each, one of which may be on another host; or more, if several reflect together. Also
 * runs separate drivers, if any.
 */
public final class Runner implements Run {
    /** Number of warm-up parts: after the first, the measuring loop is entered in compiled form. */
    private static final int WARMUP_PARTS = 20;

    private static final long SET_UP_TIMEOUT_S = 120;

    /**
     * Time without a line from a worker after which it is terminated; longer than the worker's own
     * timeout for echoes, so that the worker can report the cause.
     */
    private static final long SILENCE_TIMEOUT_S = 60;

    private final Work work;
    private final List<String> flags;
    private final Function<Role, List<String>> tracer;
    private final LongConsumer progress;
    private final Deque<WorkerProcess> started = new ArrayDeque<>();
    private final List<WorkerProcess> reflectors = new ArrayList<>();
    private final WorkerProcess initiator;

    /** Starts the processes without additional JVM flags, and waits until they are connected. */
    public Runner(Contender contender, Work work, LongConsumer progress) {
        this(contender, work, progress, List.of());
    }

    /**
     * Starts the processes, with additional JVM flags, and waits until they are connected.
     *
     * @param contender contender to measure.
     * @param work work to do.
     * @param progress consumer of the number of completed messages, about once a second.
     * @param flags additional JVM flags.
     * @throws io.verbus.BusException if a process fails; its output says why.
     */
    public Runner(Contender contender, Work work, LongConsumer progress, List<String> flags) {
        this(contender, work, progress, flags, role -> List.of());
    }

    /**
     * @param tracer function that returns the command with which to run a role's JVM; empty for
     *     none.
     */
    Runner(
            Contender contender,
            Work work,
            LongConsumer progress,
            List<String> flags,
            Function<Role, List<String>> tracer) {
        this.work = work;
        this.flags = flags;
        this.tracer = tracer;
        this.progress = progress;
        try {
            if (work.processes() == 1) {
                initiator = start(contender, Role.BOTH, directory(contender, Role.BOTH));
            } else {
                Path reflecting = null;
                if (!work.server().isEmpty()) {
                    reflectors.add(await(WorkerProcess.remote(contender, work)));
                }
                for (int number = reflectors.size(); number < work.processes() - 1; number++) {
                    reflecting = directory(contender, Role.REFLECTOR);
                    reflectors.add(startReflector(contender, number, reflecting));
                }
                initiator =
                        start(
                                contender,
                                Role.INITIATOR,
                                work.wire() == Work.Wire.IPC
                                        ? reflecting
                                        : directory(contender, Role.INITIATOR));
            }
        } catch (RuntimeException ex) {
            close();
            throw ex;
        }
    }

    /**
     * Returns the directory of the driver for a process with this role; starts the driver first if
     * it runs separately.
     */
    private Path directory(Contender contender, Role role) {
        return work.drivers() == Work.Drivers.OWN
                ? start(contender, Role.DRIVER, WorkerProcess.newDirectory(Role.DRIVER)).directory()
                : WorkerProcess.newDirectory(role);
    }

    private WorkerProcess startReflector(Contender contender, int number, Path directory) {
        List<String> more = new ArrayList<>(flags);
        more.add("-D" + Worker.NUMBER_PROPERTY + "=" + number);
        return start(contender, Role.REFLECTOR, directory, more);
    }

    private WorkerProcess start(Contender contender, Role role, Path directory) {
        return start(contender, role, directory, flags);
    }

    private WorkerProcess start(Contender contender, Role role, Path directory, List<String> more) {
        return await(
                new WorkerProcess(
                        contender.process(role, work),
                        role,
                        work,
                        more,
                        tracer.apply(role),
                        directory));
    }

    private WorkerProcess await(WorkerProcess process) {
        started.push(process);
        process.await(Worker.READY, SET_UP_TIMEOUT_S, progress);
        return process;
    }

    @Override
    public String version() {
        String driver =
                started.stream()
                        .filter(WorkerProcess::isDriver)
                        .map(WorkerProcess::version)
                        .findFirst()
                        .orElse(initiator.version());
        return driver.equals(initiator.version()) ? driver : initiator.version() + " on " + driver;
    }

    @Override
    public void warmUp() {
        long done = 0;
        for (int part = 1; part <= WARMUP_PARTS; part++) {
            long end = work.warmup() * part / WARMUP_PARTS;
            if (end > done) {
                measure(end - done);
                done = end;
            }
        }
    }

    private void measure(long count) {
        switch (work.load().kind()) {
            case STREAM -> stream(count);
            case ROUND_TRIPS -> roundTrips(count);
            case RECORDINGS -> recording(count);
        }
    }

    @Override
    public Throughput stream(long count) {
        String run = Worker.RUN + " " + count;
        if (reflectors.isEmpty()) {
            initiator.tell(run);
            return Throughput.of(
                    StreamPart.parse(initiator.await(Worker.RESULT, SILENCE_TIMEOUT_S, progress)));
        }
        WorkerProcess reflector = reflectors.getFirst();
        reflector.tell(run);
        initiator.tell(run);
        String sink = reflector.await(Worker.RESULT, SILENCE_TIMEOUT_S, progress);
        initiator.tell(Worker.PAUSE);
        String source = initiator.await(Worker.RESULT, SILENCE_TIMEOUT_S, progress);
        return Throughput.of(
                StreamPart.parse(source),
                StreamPart.parse(sink).onClockBehind(reflector.clockAheadNs()));
    }

    @Override
    public Measurement roundTrips(long count) {
        tellReflectors(Worker.RESUME);
        initiator.tell(Worker.RUN + " " + count);
        String result = initiator.await(Worker.RESULT, SILENCE_TIMEOUT_S, progress);
        tellReflectors(Worker.PAUSE);
        return Measurement.parse(result);
    }

    @Override
    public Recording recording(long count) {
        initiator.tell(Worker.RUN + " " + count);
        return Recording.parse(initiator.await(Worker.RESULT, SILENCE_TIMEOUT_S, progress));
    }

    /** Returns the stalls of the round trips since the last call. */
    public StallList takeStalls() {
        return initiator.takeStalls();
    }

    private void tellReflectors(String order) {
        reflectors.forEach(reflector -> reflector.tell(order));
    }

    /** Returns the flags of the measuring JVMs, apart from the class path. */
    public static List<String> flags() {
        return WorkerProcess.flags();
    }

    /** Ends the processes in reverse order: clients before their drivers. */
    @Override
    public void close() {
        started.forEach(WorkerProcess::close);
    }
}
