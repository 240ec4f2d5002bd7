// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Measures with {@code compare}, and compares its files with {@code diff}. */
@Timeout(240)
@Tag("slow")
class PerfDiffTest {
    @TempDir Path folder;

    @Test
    void comparesFilesOfTwoMeasurements() throws Exception {
        Path first = folder.resolve("first.json");
        Path second = folder.resolve("second.json");
        Path page = folder.resolve("page.html");

        String text = run(0, compare("--json=" + first, "--html=" + page));
        run(0, compare("--json=" + second));

        assertTrue(text.startsWith("verbus compare --peer floor --pairs 1 "), text);
        assertTrue(text.contains(" threads, 2 of them busy"), text);
        assertTrue(text.contains("verbus / floor, p50: "), text);
        assertTrue(text.contains(" messages/s / "), text);
        String html = Files.readString(page);
        assertTrue(html.contains("<th>verbus / floor</th>"), html);
        assertTrue(html.contains("<td>rate, messages/s</td>"), html);
        String diff = run(0, List.of("diff", first.toString(), second.toString()));
        assertTrue(diff.contains("  verbus / floor, p50: "), diff);
        assertTrue(diff.contains("  floor, rate: "), diff);
        assertTrue(diff.contains("too few pairs for an interval"), diff);
    }

    private static List<String> compare(String... files) {
        List<String> arguments =
                new ArrayList<>(
                        List.of("compare", "--peer", "floor", "--pairs", "1", "--slices", "1"));
        arguments.addAll(List.of("--messages", "1000", "--warmup", "0"));
        arguments.addAll(List.of("--stream-messages", "2000", "--idle", "yield"));
        arguments.addAll(List.of(files));
        return arguments;
    }

    private static String run(int status, List<String> arguments) {
        PrintStream before = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            CommandLine line = new CommandLine(new PerfCommand());
            line.setCaseInsensitiveEnumValuesAllowed(true);
            assertEquals(status, line.execute(arguments.toArray(String[]::new)));
        } finally {
            System.setOut(before);
        }
        return said.toString(StandardCharsets.UTF_8);
    }
}
