// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools;

import io.verbus.cnc.CncFile;

import org.agrona.concurrent.errors.ErrorLogReader;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code verbus errors}: prints the distinct errors of a driver, even if it has died. */
@Command(
        name = "errors",
        description = {
            "Prints a driver's distinct errors and warnings, with their counts and times. Most"
                    + " errors are one sentence with a remedy; only defects have a stack trace.",
            "Also works for a driver that has ended; the exit status is then 1."
        },
        mixinStandardHelpOptions = true)
final class ErrorsCommand implements Callable<Integer> {
    /** Matches Verbus exceptions, whose single line names cause and remedy. */
    private static final Pattern SENTENCE =
            Pattern.compile("io\\.verbus\\.[\\w.]+Exception: (?<message>[^\\r\\n]+)");

    @Spec private CommandSpec spec;

    @Mixin private DirectoryOption directory;

    @Option(names = "--stacks", description = "also prints the stack traces")
    private boolean hasStacks;

    @Option(names = "--json", description = "prints JSON")
    private boolean isJson;

    @Override
    public Integer call() {
        try (CncFile cnc = directory.map()) {
            PrintWriter out = spec.commandLine().getOut();
            if (isJson) {
                JsonRows json = new JsonRows();
                ErrorLogReader.read(
                        cnc.errorLog(),
                        (count, first, last, text) ->
                                json.begin()
                                        .put("count", count)
                                        .put("first", Instant.ofEpochMilli(first).toString())
                                        .put("last", Instant.ofEpochMilli(last).toString())
                                        .put("error", text)
                                        .end());
                out.println(json);
            } else {
                int distinct =
                        ErrorLogReader.read(
                                cnc.errorLog(),
                                (count, first, last, text) ->
                                        out.println(
                                                times(count, first, last)
                                                        + System.lineSeparator()
                                                        + (hasStacks ? text : shown(text))));
                out.println(total(distinct));
            }
            out.flush();
            directory.checkRunning(cnc);
        }
        return 0;
    }

    private static String times(int count, long firstMs, long lastMs) {
        Instant last = Instant.ofEpochMilli(lastMs);
        return count == 1
                ? "once at " + last
                : count + " times from " + Instant.ofEpochMilli(firstMs) + " to " + last;
    }

    private static String total(int distinct) {
        return switch (distinct) {
            case 0 -> "no errors";
            case 1 -> "1 distinct error";
            default -> distinct + " distinct errors";
        };
    }

    /** Returns a logged exception's message if that suffices, else its stack trace. */
    private static String shown(String trace) {
        Matcher sentence = SENTENCE.matcher(trace);
        return sentence.lookingAt() ? sentence.group("message") : trace.stripTrailing();
    }
}
