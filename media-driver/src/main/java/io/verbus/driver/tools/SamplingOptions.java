// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import org.agrona.SystemUtil;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/** Options of a command that samples a driver at intervals. */
final class SamplingOptions {
    private static final long MIN_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long MAX_INTERVAL_NS = TimeUnit.HOURS.toNanos(1);
    private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "time between two samples, such as 500ms [1s]")
    private String interval;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "0",
            description = "number of samples after which the command ends; 0 is unlimited")
    private int count;

    /** Returns the number of samples to take; 0 if it is unlimited. */
    int count() {
        return count;
    }

    /**
     * Checks the options.
     *
     * @return the interval in nanoseconds.
     * @throws ParameterException if an option is out of range.
     */
    long check() {
        if (count < 0) {
            throw misused("--count is " + count + ": it must be 0 or more");
        }
        long ns;
        try {
            ns = SystemUtil.parseDuration("interval", interval);
        } catch (NumberFormatException e) {
            ns = -1;
        }
        if (ns < MIN_INTERVAL_NS || ns > MAX_INTERVAL_NS) {
            throw misused(
                    "--interval is '"
                            + interval
                            + "': it must be from 50ms to 3600s, with a unit: ms or s");
        }
        return ns;
    }

    /**
     * Refuses these options if the command takes only one sample.
     *
     * @param why start of the sentence, which ends with the option's name.
     */
    void rejectGiven(String why) {
        for (String option : List.of("--interval", "--count")) {
            if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
                throw misused(why + option);
            }
        }
    }

    /** Returns an exception that reports wrong usage of the command. */
    ParameterException misused(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }

    /**
     * Waits until the next sample is due.
     *
     * @param intervalNs time to wait.
     * @param onKey handles a key; returns false to end the command.
     * @return false if the command must end because of a key, or because input or output was
     *     closed.
     */
    static boolean await(Terminal terminal, long intervalNs, PrintWriter out, IntPredicate onKey) {
        long endNs = System.nanoTime() + intervalNs;
        for (long left = intervalNs; left > 0; left = endNs - System.nanoTime()) {
            int key = terminal.key(left + NS_PER_MS - 1);
            if (key == Terminal.ENDED || out.checkError() || key >= 0 && !onKey.test(key)) {
                return false;
            }
        }
        return true;
    }
}
