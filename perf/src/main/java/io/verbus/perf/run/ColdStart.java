// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import java.util.List;

/**
 * A new process's first round trips over shared memory, without warm-up.
 *
 * @param version name and version of the contender.
 * @param firstEchoNs time from the start of the process to its first echo.
 * @param measurement measurement of all round trips, including the first.
 */
public record ColdStart(String version, long firstEchoNs, Measurement measurement) {
    private static final long TIMEOUT_S = 60;

    /**
     * Measures a new process.
     *
     * @param contender contender to start.
     * @param work work whose messages are sent, one at a time.
     * @param flags additional JVM flags.
     */
    public static ColdStart measure(Contender contender, Work work, List<String> flags) {
        try (WorkerProcess process = new WorkerProcess(contender, Role.BOTH, work, flags)) {
            process.tell(Worker.RUN + " " + work.messages());
            String result = process.await(Worker.RESULT, TIMEOUT_S, done -> {});
            return new ColdStart(
                    process.version(), process.firstEchoNs(), Measurement.parse(result));
        }
    }
}
