// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.files.FileDescriptorLimit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A process without free descriptors reports that, and not a missing mount point. */
@Timeout(60)
class FileDescriptorLimitTest {
    private static final int QUESTIONS = 4;

    @TempDir private Path folder;

    @Test
    void reportsTooManyOpenFiles() {
        try (ChildProcess child =
                ChildProcess.start(
                        List.of("sh", "-c", "ulimit -n 200; exec \"$@\"", "sh"),
                        FileDescriptorLimit.class,
                        folder.resolve("driver").toString())) {
            for (int i = 0; i < QUESTIONS; i++) {
                String answer = child.awaitLine("answer: ");
                String text = answer.toLowerCase(Locale.ROOT);
                assertTrue(text.contains("too many") && text.contains("open"), answer);
                assertTrue(answer.contains("`ulimit -n`"), answer);
                assertFalse(answer.contains("Mount point"), answer);
            }
        }
    }
}
