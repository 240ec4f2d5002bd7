// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.MediaDriver;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;

/** The program that docs/guide/first-application.md shows. */
class FirstApplicationTest {
    private static final Path PAGE = Path.of("../docs/guide/first-application.md");

    @TempDir Path folder;

    @Test
    @Timeout(120)
    void firstApplicationExitsIfChannelIsInvalid() throws Exception {
        compileProgram();
        try (MediaDriver driver = MediaDriver.launchEmbedded()) {
            List<String> command =
                    JavaCommand.of(
                            "FirstApplication",
                            List.of("-Dverbus.dir=" + driver.directory()),
                            List.of("publish", "verbus:icp"));
            int classPath = command.indexOf("-cp") + 1;
            command.set(classPath, folder + ":" + command.get(classPath));
            Path output = folder.resolve("output");
            Process process =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            try {
                assertTrue(process.waitFor(60, TimeUnit.SECONDS), "still runs");
                String text = Files.readString(output);
                assertEquals(1, process.exitValue(), text);
                assertTrue(text.contains("icp"), text);
                assertEquals(1, text.lines().count(), text);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private void compileProgram() throws Exception {
        Path source = folder.resolve("FirstApplication.java");
        String page = Files.readString(PAGE);
        String fence = "```java\n";
        int begin = page.lastIndexOf(fence, page.indexOf("class FirstApplication "));
        int end = page.indexOf("```", begin + fence.length());
        Files.writeString(source, page.substring(begin + fence.length(), end));
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
