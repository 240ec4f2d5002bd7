// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The API example of the README is the main method of {@link HelloBus}, which works. */
class ReadmeTest {
    private static final Path README = Path.of("../README.md");
    private static final Path EXAMPLE = Path.of("src/main/java/io/verbus/samples/HelloBus.java");

    @Test
    void showsMainMethodOfHelloBus() throws IOException {
        assertEquals(
                mainMethod(Files.readString(EXAMPLE)),
                javaBlock(Files.readString(README)),
                "README.md and " + EXAMPLE + " differ: copy the method into the README");
    }

    @Test
    @Timeout(60)
    void examplePrintsGreeting() throws Exception {
        Process process =
                new ProcessBuilder(JavaCommand.of(HelloBus.class.getName(), List.of(), List.of()))
                        .redirectErrorStream(true)
                        .start();
        try {
            String output = new String(process.getInputStream().readAllBytes());
            assertTrue(process.waitFor(50, TimeUnit.SECONDS), "still runs, after: " + output);
            assertEquals("hello, bus\n", output);
            assertEquals(0, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }

    private static String mainMethod(String source) {
        int begin = source.indexOf("    public static void main(");
        int end = source.indexOf("\n    }\n", begin) + "\n    }\n".length();
        return source.substring(begin, end).indent(-4);
    }

    private static String javaBlock(String markdown) {
        String fence = "```java\n";
        int begin = markdown.indexOf(fence) + fence.length();
        return markdown.substring(begin, markdown.indexOf("```", begin));
    }
}
