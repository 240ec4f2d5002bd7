// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks that each row of {@code docs/aeron.md} names an existing test. */
class AeronPageTest {
    private static final Path PAGE = Path.of("../docs/aeron.md");
    private static final String BEGIN = "These tests cover each row:";

    @Test
    void rowsNameExistingTests() throws IOException {
        String page = Files.readString(PAGE);
        int rows = rows(page.substring(page.indexOf("## Supported features"), page.indexOf(BEGIN)));
        String shown = page.substring(page.indexOf(BEGIN)).split("\n## ")[0];
        assertTrue(rows > 20, rows + " rows");
        assertEquals(rows, rows(shown), "as many rows as above");
        Set<String> absent = new TreeSet<>();
        Set<String> sources = sources();
        Pattern.compile("`(\\w+Test)`")
                .matcher(shown)
                .results()
                .map(match -> match.group(1) + ".java")
                .filter(name -> !sources.contains(name))
                .forEach(absent::add);
        assertEquals(Set.of(), absent, "mend " + PAGE);
    }

    private static int rows(String part) {
        return (int) part.lines().filter(line -> line.startsWith("| ")).count() - 1;
    }

    private static Set<String> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith("Test.java"))
                    .collect(Collectors.toSet());
        }
    }
}
