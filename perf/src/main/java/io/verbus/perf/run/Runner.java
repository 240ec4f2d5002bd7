// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.rtt.Measurement;
import io.verbus.perf.rtt.Role;
import io.verbus.perf.rtt.Work;
import io.verbus.perf.rtt.Worker;

import java.util.List;
import java.util.function.Consumer;

/**
 * Runs work on a bus once: over shared memory in one process with two measuring threads, over a
 * network in two processes with one measuring thread each.
 */
public final class Runner {
    private static final long SILENCE_TIMEOUT_S = 60;
    private static final long RESULT_TIMEOUT_S = 60;

    private Runner() {}

    /**
     * A run's outcome.
     *
     * @param version name and version of the bus.
     * @param measurement what it measured.
     */
    public record Outcome(String version, Measurement measurement) {}

    /**
     * Runs it.
     *
     * @param progress takes the number of round trips done, about once a second.
     * @throws IllegalStateException if it fails; the process at fault has said why.
     */
    public static Outcome run(BusUnderTest bus, Work work, Consumer<Long> progress) {
        if (work.wire() == Work.Wire.IPC) {
            try (WorkerProcess both = new WorkerProcess(bus, Role.BOTH, work)) {
                return outcome(both, progress);
            }
        }
        try (WorkerProcess reflector = new WorkerProcess(bus, Role.REFLECTOR, work)) {
            reflector.await(Worker.READY, SILENCE_TIMEOUT_S, progress);
            try (WorkerProcess initiator = new WorkerProcess(bus, Role.INITIATOR, work)) {
                return outcome(initiator, progress);
            }
        }
    }

    /** Flags of the JVMs that measure, besides their class path. */
    public static List<String> flags() {
        return WorkerProcess.flags();
    }

    private static Outcome outcome(WorkerProcess initiator, Consumer<Long> progress) {
        initiator.await(Worker.READY, SILENCE_TIMEOUT_S, progress);
        String result = initiator.await(Worker.RESULT, RESULT_TIMEOUT_S, progress);
        return new Outcome(initiator.version(), Measurement.parse(result));
    }
}
