// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.driver.tools.OutputFiles;
import io.verbus.perf.report.Environment;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Runs the JMH microbenchmarks. */
@Command(
        name = "jmh",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the JMH microbenchmarks: offer, claim and commit, poll, round trips through"
                    + " logs and through cache lines, duty cycles, frame and control codecs, an"
                    + " empty call into C, and verbs if there is an RDMA device (try: verbus lab"
                    + " ./verbus perf jmh Verbs)."
        })
final class JmhCommand implements Callable<Integer> {
    private static final String VERBS = ".*VerbsBenchmark.*";

    @Spec private CommandSpec spec;

    @Parameters(
            paramLabel = "REGEX",
            arity = "0..1",
            description =
                    "Regular expression for the benchmark classes and methods to run"
                            + " (default: all).")
    private String regex = ".*";

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description =
                    "Duration in seconds of the warm-up, and of the measurement, of each benchmark"
                            + " (default:"
                            + " ${DEFAULT-VALUE}).")
    private int seconds = 3;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "File for the results, in JMH's JSON format.")
    private Path json;

    @Override
    public Integer call() {
        if (seconds < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--seconds takes a number above 0, not " + seconds);
        }
        try {
            Pattern.compile(regex);
        } catch (PatternSyntaxException ex) {
            throw new ParameterException(
                    spec.commandLine(),
                    "'%s' is not a regular expression (%s)".formatted(regex, ex.getDescription()));
        }
        if (!isJmhHere()) {
            throw new BusException(
                    "JMH is not on the class path, because the distribution archive does not"
                            + " include it: run `./verbus perf jmh` in a clone of the repository");
        }
        Map<String, Path> outputs = new LinkedHashMap<>();
        Outputs.add(outputs, "--json", json);
        OutputFiles.check(outputs);
        boolean isVerbsLeftOut = Environment.rdmaDevices().isEmpty();
        if (isVerbsLeftOut) {
            System.err.println("This host has no RDMA device: skipping the verbs benchmarks.");
        }
        return Benchmarks.run(regex, isVerbsLeftOut ? VERBS : null, seconds, json);
    }

    private static boolean isJmhHere() {
        return JmhCommand.class.getResource("/org/openjdk/jmh/runner/Runner.class") != null;
    }
}
