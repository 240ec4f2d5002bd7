// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Role;
import io.verbus.perf.load.Work;
import io.verbus.perf.load.Worker;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * A new process's first round trips, over shared memory, without any warm-up.
 *
 * @param version name and version of the bus.
 * @param firstEchoNs from the start of the process to its first echo.
 * @param measurement of the round trips, the first included.
 */
public record ColdStart(String version, long firstEchoNs, Measurement measurement) {
    private static final long TIMEOUT_S = 60;

    /**
     * The flags that the launcher gave this process to start faster: with a cache and profiles, and
     * what is compiled early. Both are of Verbus alone, so that no other worker inherits them.
     */
    public static List<String> startFlags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(ColdStart::isStartFlag)
                .toList();
    }

    /** Whether a flag of a JVM is one of these. */
    public static boolean isStartFlag(String flag) {
        return flag.startsWith("-XX:AOT") || flag.startsWith("-XX:CompileCommandFile=");
    }

    /**
     * Measures it.
     *
     * @param bus to start.
     * @param work whose messages are sent, one at a time.
     * @param flags of the JVM besides.
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
