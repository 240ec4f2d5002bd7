// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;

class StreamTest {
    /** Number of times that the reader wraps around all three terms. */
    private static final int WRAPS = 11;

    @Property(tries = 60)
    void readsBackMessagesOverManyLaps(
            @ForAll @IntRange(min = 2, max = 300) int mtuUnits,
            @ForAll @IntRange(min = 0, max = 2) int termDoublings,
            @ForAll @IntRange(min = 0, max = 100_000) int startUnits,
            @ForAll int initialTermId,
            @ForAll LogType type,
            @ForAll boolean isAeron,
            @ForAll long seed) {
        run(mtuUnits, termDoublings, startUnits, initialTermId, type, isAeron, false, seed);
    }

    @Property(tries = 60)
    @Tag("slow")
    void replicatesMessagesThroughScanner(
            @ForAll @IntRange(min = 2, max = 300) int mtuUnits,
            @ForAll @IntRange(min = 0, max = 2) int termDoublings,
            @ForAll @IntRange(min = 0, max = 100_000) int startUnits,
            @ForAll int initialTermId,
            @ForAll LogType type,
            @ForAll boolean isAeron,
            @ForAll long seed) {
        run(mtuUnits, termDoublings, startUnits, initialTermId, type, isAeron, true, seed);
    }

    private static void run(
            int mtuUnits,
            int termDoublings,
            int startUnits,
            int initialTermId,
            LogType type,
            boolean isAeron,
            boolean isReplicated,
            long seed) {
        int termLength = LogLayout.MIN_TERM_LENGTH << termDoublings;
        LogSpec spec =
                TestLogs.spec(type, termLength, 32 * mtuUnits, initialTermId, 32L * startUnits);
        try (StreamModel model = new StreamModel(spec, isAeron, isReplicated, seed)) {
            int delivered = model.run((long) WRAPS * LogLayout.PARTITIONS * termLength);
            assertTrue(delivered > 0);
        }
    }
}
