// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.samples.JavaCommand;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

@Tag("slow")
class ArchiveSampleTest {
    @TempDir Path folder;

    @Test
    @Timeout(120)
    void recordsReplaysAndFollowsLiveStream() throws Exception {
        Process process =
                new ProcessBuilder(
                                JavaCommand.of(
                                        ArchiveSample.class.getName(),
                                        List.of("-Xmx256m"),
                                        List.of(folder.toString(), "127.0.0.1")))
                        .redirectErrorStream(true)
                        .start();
        Thread limit =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    try {
                                        if (!process.waitFor(100, TimeUnit.SECONDS)) {
                                            process.destroyForcibly();
                                        }
                                    } catch (InterruptedException e) {
                                        process.destroyForcibly();
                                    }
                                });
        String said = new String(process.getInputStream().readAllBytes());
        limit.join();
        assertEquals(0, process.waitFor(), said);
        assertTrue(said.contains("replayed 1000\n"), said);
        String last = said.lines().toList().getLast();
        assertTrue(last.matches("received (\\d+) of \\1 messages"), said);
    }
}
