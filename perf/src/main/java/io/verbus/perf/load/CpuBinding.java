// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;

/**
 * Binds threads and programs to CPUs with {@code taskset} of util-linux, which works in the same
 * way for the JVMs of all contenders.
 */
public final class CpuBinding {
    private static final String ALLOWED = "Cpus_allowed_list:";

    private CpuBinding() {}

    /**
     * Returns the numbers of the CPUs that this process may use.
     *
     * @throws IllegalStateException if the kernel does not report them.
     */
    public static BitSet allowed() {
        Path file = Path.of("/proc/self/status");
        try {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(ALLOWED)) {
                    return parse(line.substring(ALLOWED.length()).strip());
                }
            }
        } catch (IOException ex) {
            throw new IllegalStateException("cannot read " + file + ": " + ex, ex);
        }
        throw new IllegalStateException(file + " has no line " + ALLOWED);
    }

    /** Parses a list of numbers and ranges, such as {@code 0,2-3}. */
    static BitSet parse(String list) {
        BitSet cpus = new BitSet();
        for (String range : list.split(",")) {
            String[] ends = range.split("-");
            cpus.set(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]) + 1);
        }
        return cpus;
    }

    /**
     * Returns the command-line prefix that runs a program bound to a CPU.
     *
     * @param cpu CPU number; negative not to bind the program.
     */
    public static List<String> command(int cpu) {
        return cpu < 0 ? List.of() : List.of("taskset", "-c", Integer.toString(cpu));
    }

    /**
     * Binds the calling thread.
     *
     * @param cpu CPU number; negative not to bind the thread.
     * @throws IllegalStateException if binding fails.
     */
    static void bind(int cpu) {
        if (cpu < 0) {
            return;
        }
        try {
            String thread =
                    Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
            Process taskset =
                    new ProcessBuilder("taskset", "-pc", Integer.toString(cpu), thread)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            if (taskset.waitFor() != 0) {
                throw new IllegalStateException(
                        "cannot bind a thread to CPU "
                                + cpu
                                + ": choose one that `taskset -pc $$` shows");
            }
        } catch (IOException ex) {
            throw new IllegalStateException(
                    "--affinity needs the program taskset (package util-linux): " + ex, ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while binding to CPU " + cpu, ex);
        }
    }
}
