// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Binds threads and programs to CPUs with util-linux' {@code taskset}, which works in the same way
 * for the JVMs of all contenders.
 */
public final class CpuBinding {
    private CpuBinding() {}

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
