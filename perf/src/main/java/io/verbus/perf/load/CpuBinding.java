// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Binds a thread or a program to a CPU by the program {@code taskset} of util-linux, so that every
 * bus's JVM can do it in the same way.
 */
public final class CpuBinding {
    private CpuBinding() {}

    /**
     * Words to put before those of a program that is to run bound to a CPU.
     *
     * @param cpu to bind it to; none if negative.
     */
    public static List<String> command(int cpu) {
        return cpu < 0 ? List.of() : List.of("taskset", "-c", Integer.toString(cpu));
    }

    /**
     * Binds the calling thread.
     *
     * @param cpu to bind it to; negative to leave it as it is.
     * @throws IllegalStateException if that does not work.
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
                        "a thread cannot be bound to CPU "
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
