// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.logbuffer.LogReader;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Checks {@code tools/compile-early}, because the JVM ignores names of missing classes there. */
class CompileEarlyTest {
    private static final String ALL = ".*";

    @Test
    void listsOnlyExistingClassesAndPackages() throws IOException {
        List<String> scaled =
                Files.readAllLines(Path.of("..", "tools", "compile-early")).stream()
                        .filter(line -> !line.startsWith("#") && !line.equals("quiet"))
                        .toList();
        assertTrue(scaled.size() > 1, scaled.toString());
        for (String line : scaled) {
            String[] parts = line.split("[,:]+");
            assertEquals("CompileThresholdScaling", parts[0], line);
            assertEquals("*", parts[2], line);
            assertExists(parts[1]);
        }
    }

    private static void assertExists(String name) {
        if (name.endsWith(ALL)) {
            assertEquals(LogReader.class.getPackageName() + ALL, name);
        } else {
            assertDoesNotThrow(() -> Class.forName(name));
        }
    }
}
