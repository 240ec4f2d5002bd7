// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.driver.tools.Verbus;

import org.junit.jupiter.api.Test;

import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Checks that {@code docs/commands}, which the launcher prints so that help needs no build, matches
 * the commands. With {@code -Dhelp.write=true}, writes the files.
 */
class CommandHelpTest {
    private static final Path TEXTS = Path.of("../docs/commands");

    private static Map<String, String> expected() {
        Map<String, String> texts = new TreeMap<>();
        Verbus.commandLine()
                .getSubcommands()
                .forEach((name, command) -> collect(name, command, texts));
        return texts;
    }

    private static void collect(String name, CommandLine command, Map<String, String> texts) {
        texts.put(name + ".txt", command.getUsageMessage(Ansi.OFF));
        command.getSubcommands()
                .forEach((sub, subcommand) -> collect(name + "-" + sub, subcommand, texts));
    }

    private static Map<String, String> stored() throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.list(TEXTS)) {
            for (Path file : files.toList()) {
                texts.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return texts;
    }

    @Test
    void storedTextsMatchCommandHelp() throws IOException {
        Map<String, String> expected = expected();
        if (Boolean.getBoolean("help.write")) {
            Files.createDirectories(TEXTS);
            for (Map.Entry<String, String> text : expected.entrySet()) {
                Files.writeString(TEXTS.resolve(text.getKey()), text.getValue());
            }
        }
        String remedy =
                "write docs/commands again with: ./verbus test -Dhelp.write=true"
                        + " -Dtest=CommandHelpTest -Dsurefire.failIfNoSpecifiedTests=false";
        Map<String, String> stored = stored();
        assertEquals(expected.keySet(), stored.keySet(), remedy);
        expected.forEach((name, text) -> assertEquals(text, stored.get(name), remedy));
    }
}
