// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.perf.run.Runner;

import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

import java.nio.file.Path;

/** Runs the JMH benchmarks. Loaded only if JMH is on the class path. */
final class Benchmarks {
    private Benchmarks() {}

    /**
     * Runs the benchmarks that match a pattern.
     *
     * @param regex pattern of class and method names.
     * @param excluded pattern of benchmarks to skip; null to skip none.
     * @param seconds duration of warm-up, and of measurement, per benchmark.
     * @param json file for the results; null to write none.
     * @return exit status: 1 if there are no results, else 0.
     * @throws BusException if no benchmark matches, or one fails.
     */
    static int run(String regex, String excluded, int seconds, Path json) {
        var options =
                new OptionsBuilder()
                        .include("io\\.verbus\\.perf\\.jmh\\." + ".*" + regex)
                        .forks(1)
                        .warmupIterations(seconds)
                        .warmupTime(TimeValue.seconds(1))
                        .measurementIterations(seconds)
                        .measurementTime(TimeValue.seconds(1))
                        .shouldFailOnError(true)
                        .jvmArgs(Runner.flags().toArray(String[]::new));
        if (excluded != null) {
            options.exclude(excluded);
        }
        if (json != null) {
            options.resultFormat(ResultFormatType.JSON).result(json.toString());
        }
        try {
            return new org.openjdk.jmh.runner.Runner(options.build()).run().isEmpty() ? 1 : 0;
        } catch (NoBenchmarksException ex) {
            throw new BusException(
                    "no benchmark matches '"
                            + regex
                            + "'"
                            + (excluded == null ? "" : " on a host without an RDMA device")
                            + ": omit the pattern to run all",
                    ex);
        } catch (RunnerException ex) {
            throw new BusException("the benchmarks failed: " + ex.getMessage(), ex);
        }
    }
}
