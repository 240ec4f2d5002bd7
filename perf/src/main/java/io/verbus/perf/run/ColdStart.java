// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * A new process's first round trips over shared memory, without warm-up.
 *
 * @param version name and version of the bus.
 * @param firstEchoNs time from the start of the process to its first echo.
 * @param measurement measurement of all round trips, including the first.
 */
public record ColdStart(String version, long firstEchoNs, Measurement measurement) {
    private static final long TIMEOUT_S = 60;

    /**
     * Returns the start-up flags that the launcher has passed to this process, which concern the
     * ahead-of-time cache, profiles and early compilation. They apply to Verbus only, so workers do
     * not inherit them by default.
     */
    public static List<String> startFlags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(ColdStart::isStartFlag)
                .toList();
    }

    /** Returns whether a JVM flag is such a start-up flag. */
    public static boolean isStartFlag(String flag) {
        return flag.startsWith("-XX:AOT") || flag.startsWith("-XX:CompileCommandFile=");
    }

    /**
     * Measures a new process.
     *
     * @param bus bus to start.
     * @param work work whose messages are sent, one at a time.
     * @param flags additional JVM flags.
     */
    public static ColdStart measure(BusUnderTest bus, Work work, List<String> flags) {
        try (WorkerProcess process = new WorkerProcess(bus, Role.BOTH, work, flags)) {
            process.tell(Worker.RUN + " " + work.messages());
            String result = process.await(Worker.RESULT, TIMEOUT_S, done -> {});
            return new ColdStart(
                    process.version(), process.firstEchoNs(), Measurement.parse(result));
        }
    }
}
