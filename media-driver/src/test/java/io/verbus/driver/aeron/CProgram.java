// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeron;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A sample program of Aeron's C client, built from Aeron's sources: the environment variable {@link
 * #FOLDER} names the folder that contains it.
 */
public final class CProgram implements AutoCloseable {
    /** Environment variable for the folder. */
    public static final String FOLDER = "AERON_C_BIN";

    /** Reason for skipping a test that needs the programs. */
    public static final String ABSENT =
            "AERON_C_BIN names no folder with programs of Aeron's, see docs/aeron.md";

    private final List<String> seen = new ArrayList<>();
    private final Process process;
    private final BufferedReader out;

    private CProgram(List<String> command, Map<String, String> variables) {
        ProcessBuilder program = new ProcessBuilder(command).redirectErrorStream(true);
        program.environment().putAll(variables);
        try {
            process = program.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out = process.inputReader(StandardCharsets.UTF_8);
    }

    /**
     * Starts a program, which prints lines as they come, and ends with the test at the latest.
     *
     * @param directory of the driver.
     */
    public static CProgram start(String name, Path directory, String... arguments) {
        List<String> command = new ArrayList<>(List.of("timeout", "100", "stdbuf", "-oL"));
        command.add(Path.of(System.getenv(FOLDER), name).toString());
        command.addAll(List.of("-p", directory.toString()));
        command.addAll(List.of(arguments));
        return new CProgram(command, Map.of());
    }

    /** Whether a program of this name exists. */
    public static boolean isThere(String name) {
        return Files.isExecutable(Path.of(System.getenv(FOLDER), name));
    }

    /**
     * Starts a driver of Aeron's, which ends with the test at the latest.
     *
     * @param directory of the driver, which it makes.
     */
    public static CProgram startDriver(String name, Path directory) {
        return new CProgram(
                List.of("timeout", "100", Path.of(System.getenv(FOLDER), name).toString()),
                Map.of(
                        "AERON_DIR", directory.toString(),
                        "AERON_THREADING_MODE", "SHARED",
                        "AERON_TERM_BUFFER_LENGTH", "65536",
                        "AERON_TERM_BUFFER_SPARSE_FILE", "1",
                        "AERON_DIR_DELETE_ON_SHUTDOWN", "1"));
    }

    /** Reads up to a line that contains the text. */
    public void awaitLine(String part) {
        try {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                seen.add(line);
                if (line.contains(part)) {
                    return;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new AssertionError("the program ended without printing " + part + ": " + seen);
    }

    /** Sends SIGINT, which ends the program, and waits until it has exited. */
    @Override
    public void close() {
        try {
            new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
            assertTrue(process.waitFor(30, TimeUnit.SECONDS), "SIGINT does not end the program");
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            process.destroyForcibly();
        }
    }
}
