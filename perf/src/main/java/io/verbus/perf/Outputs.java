// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;
import io.verbus.perf.load.Work;

import picocli.CommandLine.Model.CommandSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/** What the commands share in how they tell their outcome. */
final class Outputs {
    private Outputs() {}

    /** Adds an option's file, if it was given. */
    static void add(Map<String, Path> outputs, String option, Path file) {
        if (file != null) {
            outputs.put(option, file);
        }
    }

    /** Shows progress on standard error. */
    static LongConsumer progress(String what, Work work) {
        long warmup = work.warmup() * work.load().publishers();
        long total = warmup + work.messages() * work.load().publishers();
        return done ->
                System.err.printf(
                        "%s: %,d of %,d%s%n",
                        what, done, total, done <= warmup ? " (warm-up)" : "");
    }

    /** Writes a file. */
    static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException ex) {
            throw new BusException(
                    "cannot write " + file + " (" + ex + "): name a file in a folder that exists",
                    ex);
        }
    }

    /** Every word that the user typed after {@code verbus}. */
    static List<String> typed(CommandSpec spec) {
        return spec.root().commandLine().getParseResult().originalArgs();
    }
}
