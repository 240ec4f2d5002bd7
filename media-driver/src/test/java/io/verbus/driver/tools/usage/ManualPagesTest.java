// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.tools.usage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbus.driver.tools.Verbus;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

@Timeout(60)
class ManualPagesTest {
    @TempDir Path folder;

    @Test
    void writesPageOfEachCommand() throws Exception {
        ManualPages.main(new String[] {folder.resolve("man1").toString()});
        Map<String, String> pages = ManualPages.all(Verbus.commandLine());
        assertTrue(
                pages.keySet().containsAll(List.of("verbus.1", "verbus-driver.1", "verbus-stat.1")),
                pages.keySet().toString());
        for (Map.Entry<String, String> page : pages.entrySet()) {
            String text = Files.readString(folder.resolve("man1").resolve(page.getKey()));
            assertEquals(page.getValue(), text);
            assertTrue(text.startsWith(".TH VERBUS"), text);
            assertFalse(text.contains("${"), text);
        }
        String driver = pages.get("verbus-driver.1");
        assertTrue(driver.contains("\n.TP\n\\fB\\-\\-term\\-length\\fR=\\fIVALUE\\fR\n"), driver);
        assertTrue(driver.contains("\n.nf\nverbus driver [OPTION]...\n.fi\n"), driver);
        assertTrue(pages.get("verbus.1").contains("\\fBclients\\fR"), pages.get("verbus.1"));
    }

    @Test
    void groffReadsPagesWithoutWarning() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/groff")), "groff is not installed");
        ManualPages.main(new String[] {folder.toString()});
        for (String page : ManualPages.all(Verbus.commandLine()).keySet()) {
            Process groff =
                    new ProcessBuilder(
                                    "groff",
                                    "-man",
                                    "-ww",
                                    "-Tascii",
                                    folder.resolve(page).toString())
                            .redirectOutput(folder.resolve("text").toFile())
                            .start();
            String warnings = new String(groff.getErrorStream().readAllBytes());
            assertTrue(groff.waitFor(30, TimeUnit.SECONDS));
            assertEquals(0, groff.exitValue(), warnings);
            assertEquals("", warnings, page);
        }
    }
}
