// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

class AeronProgramTest {
    @TempDir Path folder;

    private Path program(String inFolder) throws IOException {
        Path file = folder.resolve(inFolder).resolve("aeronmd");
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n");
        assertTrue(file.toFile().setExecutable(true));
        return file;
    }

    @Test
    void prefersGivenPathOverVariableOverSearchPath() throws IOException {
        Path given = program("given");
        Path named = program("named");
        Path onPath = program("on-path");
        Map<String, String> path = Map.of("PATH", "/nowhere:" + onPath.getParent());
        Map<String, String> both =
                Map.of(
                        "PATH",
                        onPath.getParent().toString(),
                        AeronProgram.FOLDER_VARIABLE,
                        named.getParent().toString());
        assertEquals(given, AeronProgram.find(given, both));
        assertEquals(named, AeronProgram.find(null, both));
        assertEquals(onPath, AeronProgram.find(null, path));
    }

    @Test
    void explainsHowToSpecifyMissingProgram() {
        assertFailsWith(null, Map.of("PATH", "/nowhere"), "give its path with --aeronmd");
        assertFailsWith(null, Map.of(), "or its directory in AERON_C_BIN");
        assertFailsWith(
                null,
                Map.of(AeronProgram.FOLDER_VARIABLE, "/nowhere"),
                "AERON_C_BIN points to /nowhere/aeronmd, which is not an executable file");
        assertFailsWith(
                folder,
                Map.of(),
                "--aeronmd points to " + folder + ", which is not an executable file");
    }

    @Test
    void rejectsFileThatIsNotExecutable() throws IOException {
        Path file = Files.createFile(folder.resolve("aeronmd"));
        assertFailsWith(file, Map.of(), "which is not an executable file");
        assertFailsWith(null, Map.of("PATH", folder.toString()), "is not on PATH");
    }

    private static void assertFailsWith(Path given, Map<String, String> environment, String words) {
        BusException e =
                assertThrows(BusException.class, () -> AeronProgram.find(given, environment));
        assertTrue(e.getMessage().contains(words), e.getMessage());
    }
}
