// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

/** The examples of docs/guide/testing.md compile. */
class TestingPageTest {
    private static final Pattern JAVA = Pattern.compile("(?s)```java\\n(.*?)```");

    @TempDir Path folder;

    @Test
    void examplesCompile() throws Exception {
        String page = Files.readString(Path.of("../docs/guide/testing.md"));
        List<String> blocks =
                JAVA.matcher(page).results().map((MatchResult each) -> each.group(1)).toList();
        assertEquals(2, blocks.size(), "a class, and statements of a test");
        String example = blocks.getFirst();
        int end = example.lastIndexOf('}');
        String all =
                example.substring(0, end)
                        + "@Test void overFaultyNetwork(Bus bus) {\n"
                        + blocks.getLast()
                        + "}\n}\n";
        Path source = folder.resolve("QuotesTest.java");
        Files.writeString(source, "import io.verbus.driver.testing.LossyRelay;\n" + all);
        int status =
                ToolProvider.findFirst("javac")
                        .orElseThrow()
                        .run(
                                System.out,
                                System.err,
                                "-proc:none",
                                "-cp",
                                System.getProperty("java.class.path"),
                                "-d",
                                folder.toString(),
                                source.toString());
        assertEquals(0, status);
    }
}
