// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.BusException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** Finds Aeron's C driver, the program {@code aeronmd}. */
final class AeronProgram {
    /** Environment variable: the folder that has the program. */
    static final String FOLDER_VARIABLE = "AERON_C_BIN";

    private static final String NAME = "aeronmd";

    private AeronProgram() {}

    /**
     * Finds it: by its path, else in the folder that the environment names, else on the PATH.
     *
     * @param given path, or null.
     * @param environment of this process.
     * @return its absolute path.
     * @throws BusException if it is not there.
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
                                                + " --aeronmd or its folder in "
                                                + FOLDER_VARIABLE))
                .toAbsolutePath();
    }

    private static Path require(Path program, String source) {
        if (!isProgram(program)) {
            throw new BusException(
                    source
                            + " leads to "
                            + program
                            + ", which is no program: build aeronmd from Aeron's sources, and name"
                            + " where it is");
        }
        return program.toAbsolutePath();
    }

    private static boolean isProgram(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }
}
