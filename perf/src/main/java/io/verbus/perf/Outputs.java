// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.load.Work;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/** Reports progress, and what the user typed; shared by the commands. */
final class Outputs {
    /** Name of Verbus where it is measured alone. */
    static final String VERBUS = "verbus";

    private Outputs() {}

    /** Adds the file of an option, unless the file is null. */
    static void add(Map<String, Path> outputs, String option, Path file) {
        if (file != null) {
            outputs.put(option, file);
        }
    }

    /** Returns a consumer that prints progress to standard error. */
    static LongConsumer progress(String what, Work work) {
        long warmup = work.warmup() * work.load().publishers();
        long total = warmup + work.messages() * work.load().publishers();
        return done ->
                System.err.printf(
                        "%s: %,d of %,d%s%n",
                        what, done, total, done <= warmup ? " (warm-up)" : "");
    }

    /**
     * Rejects options that the measurement would ignore.
     *
     * @param why why they are ignored, such as "--metric rtt measures no streams".
     * @param names names of the options.
     */
    static void rejectUnused(CommandSpec spec, String why, List<String> names) {
        ParseResult parsed = spec.commandLine().getParseResult();
        for (String name : names) {
            if (parsed.hasMatchedOption(name)) {
                throw new ParameterException(spec.commandLine(), why + ": omit " + name);
            }
        }
    }

    /** Returns the command line as the user typed it, with quotes around words that need them. */
    static String command(CommandSpec spec) {
        StringBuilder command = new StringBuilder("verbus");
        for (String word : typed(spec)) {
            boolean isPlain = word.matches("[\\w@%+=:,./-]+");
            command.append(' ').append(isPlain ? word : "'" + word.replace("'", "'\\''") + "'");
        }
        return command.toString();
    }

    /** Returns the words that the user typed after {@code verbus}. */
    static List<String> typed(CommandSpec spec) {
        return spec.root().commandLine().getParseResult().originalArgs();
    }
}
