// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** Locates Aeron's C media driver, {@code aeronmd}. */
final class AeronProgram {
    /** Environment variable that names the directory containing the program. */
    static final String FOLDER_VARIABLE = "AERON_C_BIN";

    private static final String NAME = "aeronmd";

    private AeronProgram() {}

    /**
     * Locates the program at the given path, else in the directory that the environment names, else
     * on the PATH.
     *
     * @param given path, or null to search.
     * @param environment variables of this process.
     * @return the absolute path.
     * @throws BusException if the program is not found.
     */
    static Path find(Path given, Map<String, String> environment) {
        if (given != null) {
            return require(given, "--aeronmd");
        }
        String folder = environment.getOrDefault(FOLDER_VARIABLE, "");
        if (!folder.isEmpty()) {
            return require(Path.of(folder, NAME), FOLDER_VARIABLE);
        }
        return Stream.of(environment.getOrDefault("PATH", "").split(":"))
                .filter(word -> !word.isEmpty())
                .map(word -> Path.of(word, NAME))
                .filter(AeronProgram::isProgram)
                .findFirst()
                .orElseThrow(
                        () ->
                                new BusException(
                                        "Aeron's C driver is not on PATH: build aeronmd from"
                                                + " Aeron's sources, and give its path with"
                                                + " --aeronmd or its directory in "
                                                + FOLDER_VARIABLE))
                .toAbsolutePath();
    }

    private static Path require(Path program, String source) {
        if (!isProgram(program)) {
            throw new BusException(
                    source
                            + " points to "
                            + program
                            + ", which is not an executable file: build aeronmd from"
                            + " Aeron's sources and give its location");
        }
        return program.toAbsolutePath();
    }

    private static boolean isProgram(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }
}
