// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.hostreport;

import io.verbus.BusException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One step of a report: a command, and the file or stream that contains its result.
 *
 * @param name name of the step, used as the section title.
 * @param command words of the command line.
 * @param result file that the command writes; null if the result is its standard output.
 * @param limitS time limit in seconds.
 */
record Step(String name, List<String> command, Path result, long limitS) {
    private static final long ENDING_S = 10;

    /** Status of a command that was stopped because it took too long. */
    static final int TOO_LONG = -1;

    /**
     * Outcome of a step.
     *
     * @param status exit status of the process, or {@link #TOO_LONG}.
     * @param seconds duration of the run.
     * @param output standard output of the command, or the content of its result file.
     * @param errors standard error of the command.
     */
    record Outcome(int status, long seconds, String output, String errors) {}

    /**
     * Runs the command, and kills it if this process exits.
     *
     * @param folder directory for the command's output.
     * @param leftS seconds left for the whole report.
     */
    Outcome run(Path folder, long leftS) throws InterruptedException {
        Path output = folder.resolve("output");
        Path errors = folder.resolve("errors");
        long start = System.nanoTime();
        int status = run(output, errors, Math.min(leftS, limitS));
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        Path said = result != null && Files.exists(result) ? result : output;
        return new Outcome(status, seconds, read(said), read(errors));
    }

    private int run(Path output, Path errors, long seconds) throws InterruptedException {
        Process process;
        try {
            process =
                    new ProcessBuilder(command)
                            .redirectOutput(output.toFile())
                            .redirectError(errors.toFile())
                            .start();
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new BusException("cannot run " + command.getFirst() + ": " + e.getMessage(), e);
        }
        Thread hook = new Thread(() -> end(process), "report-end");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return process.waitFor(seconds, TimeUnit.SECONDS) ? process.exitValue() : TOO_LONG;
        } finally {
            end(process);
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }

    private static void end(Process process) {
        List<ProcessHandle> all = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(ENDING_S, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        all.forEach(ProcessHandle::destroyForcibly);
    }

    /**
     * Returns the file's content; malformed bytes are replaced, so that they do not fail the
     * report.
     */
    private static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
