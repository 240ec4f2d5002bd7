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

/** Runs {@code verbus demo rails} over UDP, with both driver processes. */
class RailsDemoTest {
    private static final long LIMIT_S = 170;

    @TempDir Path folder;

    @Tag("slow")
    @Test
    @Timeout(180)
    void losesNoMessageWhenRailsFailInTurn() throws Exception {
        try (DemoRun demo =
                new DemoRun(
                        folder,
                        LIMIT_S,
                        List.of("rails", "--transport=udp", "--rate=500", "--timeout=160"))) {
            assertEquals(0, demo.exitStatus(), demo.errors());
            String last = demo.output().lines().toList().getLast();
            assertTrue(
                    last.matches(
                            "demo ok: rails transport=udp messages=\\d+ lost=0 duplicated=0"
                                    + " longest_gap_ms=[0-9.]+ with_one_rail_ms=[0-9.]+"),
                    last);
            assertTrue(demo.errors().contains("rail 2 is used again"), demo.errors());
            demo.assertNothingIsLeft();
        }
    }

    @Test
    @Timeout(90)
    void rejectsRateOutOfRange() throws Exception {
        try (DemoRun demo = new DemoRun(folder, LIMIT_S, List.of("rails", "--rate=0"))) {
            assertEquals(2, demo.exitStatus(), demo.errors());
            assertTrue(
                    demo.errors().contains("--rate takes a number from 1 to 100000, not 0"),
                    demo.errors());
        }
    }
}
