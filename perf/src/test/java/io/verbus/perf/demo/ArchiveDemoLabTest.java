// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/**
 * Runs {@code verbus demo archive} over RDMA: the stream, its replay, and the archive's control.
 */
@Tag("lab")
@Tag("soak")
class ArchiveDemoLabTest {
    private static final long LIMIT_S = 580;

    @TempDir Path folder;

    @Test
    @Timeout(600)
    void recordsReplaysAndMergesOverRdma() throws Exception {
        try (DemoRun demo =
                new DemoRun(
                        folder,
                        LIMIT_S,
                        List.of("archive", "--messages=3000", "--rate=100", "--timeout=550"))) {
            assertEquals(0, demo.exitStatus(), demo.errors());
            String last = demo.output().lines().toList().getLast();
            assertTrue(last.startsWith("demo ok: archive transport=rdma device="), last);
            assertTrue(last.endsWith(" lost=0 duplicated=0"), last);
            demo.assertNothingIsLeft();
        }
    }
}
