// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.rtt.Measurement;
import io.verbus.perf.rtt.Role;
import io.verbus.perf.rtt.Work;
import io.verbus.perf.rtt.Worker;

import java.util.List;
import java.util.function.LongConsumer;

/**
 * The processes of work on a bus: over shared memory one, with two measuring threads; over a
 * network two, with one measuring thread each.
 */
public final class Runner implements AutoCloseable {
    /** The warm-up runs in parts: so the loop is entered anew when its compiled code is there. */
    private static final int WARMUP_PARTS = 20;

    private static final long SET_UP_TIMEOUT_S = 60;

    /** Longer than a worker waits for an echo, as that says why. */
    private static final long SILENCE_TIMEOUT_S = 60;

    private final Work work;
    private final LongConsumer progress;
    private final WorkerProcess reflector;
    private final WorkerProcess initiator;

    /**
     * A run's outcome.
     *
     * @param version name and version of the bus.
     * @param measurement what it measured.
     */
    public record Outcome(String version, Measurement measurement) {}

    /**
     * Starts the processes and waits until they are connected.
     *
     * @param bus to measure.
     * @param work to do.
     * @param progress takes the number of round trips done, about once a second.
     * @throws io.verbus.BusException if it fails; the process at fault has said why.
     */
    public Runner(BusUnderTest bus, Work work, LongConsumer progress) {
        this.work = work;
        this.progress = progress;
        if (work.wire() == Work.Wire.IPC) {
            reflector = null;
            initiator = start(bus, Role.BOTH);
            return;
        }
        reflector = start(bus, Role.REFLECTOR);
        try {
            initiator = start(bus, Role.INITIATOR);
        } catch (RuntimeException ex) {
            reflector.close();
            throw ex;
        }
    }

    private WorkerProcess start(BusUnderTest bus, Role role) {
        WorkerProcess process = new WorkerProcess(bus, role, work);
        try {
            process.await(Worker.READY, SET_UP_TIMEOUT_S, progress);
            return process;
        } catch (RuntimeException ex) {
            process.close();
            throw ex;
        }
    }

    /** Name and version of the bus. */
    public String version() {
        return initiator.version();
    }

    /** Does the work's warm-up. */
    public void warmUp() {
        long done = 0;
        for (int part = 1; part <= WARMUP_PARTS; part++) {
            long end = work.warmup() * part / WARMUP_PARTS;
            measure(end - done);
            done = end;
        }
    }

    /** Measures so many round trips. */
    public Measurement measure(long count) {
        tellReflector(Worker.RESUME);
        initiator.tell(Worker.RUN + " " + count);
        String result = initiator.await(Worker.RESULT, SILENCE_TIMEOUT_S, progress);
        tellReflector(Worker.PAUSE);
        return Measurement.parse(result);
    }

    private void tellReflector(String order) {
        if (reflector != null) {
            reflector.tell(order);
        }
    }

    /** Flags of the JVMs that measure, besides their class path. */
    public static List<String> flags() {
        return WorkerProcess.flags();
    }

    @Override
    public void close() {
        initiator.close();
        if (reflector != null) {
            reflector.close();
        }
    }
}
