// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

class SequenceVerifierTest {
    @Test
    void acceptsPerfectStream() {
        assertCounts(verify(130, range(130)), 130, 0, 0, 0, 0);
    }

    @Test
    void countsMissingMessagesAsLost() {
        List<Long> arrivals = range(100);
        arrivals.removeAll(List.of(0L, 64L, 99L));
        assertCounts(verify(100, arrivals), 97, 3, 0, 0, 0);
    }

    @Test
    void countsAllMessagesAsLostWhenNothingArrives() {
        assertCounts(verify(65, List.of()), 0, 65, 0, 0, 0);
    }

    @Test
    void countsOvertakenMessagesAsReordered() {
        assertCounts(verify(4, List.of(0L, 2L, 3L, 1L)), 4, 0, 1, 0, 0);
    }

    @Test
    void countsRepeatedMessagesAsDuplicated() {
        assertCounts(verify(3, List.of(0L, 1L, 1L, 2L, 0L)), 3, 0, 0, 2, 0);
    }

    @Test
    void countsDamagedMessageAsCorruptAndLost() {
        SequenceVerifier verifier = new SequenceVerifier(3);
        verifier.onSequence(0);
        verifier.onCorrupt();
        verifier.onSequence(2);
        assertCounts(verifier, 2, 1, 0, 0, 1);
    }

    @Test
    void countsSequencesOutOfRangeAsCorrupt() {
        assertCounts(verify(2, List.of(0L, -1L, 2L, Long.MIN_VALUE, 1L)), 2, 0, 0, 0, 3);
    }

    @Property
    void countsOnlyMissingMessagesAsLostInAnyOrder(
            @ForAll @IntRange(min = 1, max = 300) int count,
            @ForAll @IntRange(min = 0, max = 300) int omitted,
            @ForAll long seed) {
        List<Long> arrivals = range(count);
        Collections.shuffle(arrivals, new Random(seed));
        List<Long> kept = arrivals.subList(Math.min(count, omitted), count);
        SequenceVerifier verifier = verify(count, kept);
        assertEquals(count - kept.size(), verifier.lost());
        assertEquals(kept.size(), verifier.verified());
        assertEquals(belowARunningMaximum(kept), verifier.reordered());
        assertEquals(0, verifier.duplicated() + verifier.corrupt());
    }

    private static long belowARunningMaximum(List<Long> sequences) {
        long max = -1;
        long below = 0;
        for (long sequence : sequences) {
            below += sequence < max ? 1 : 0;
            max = Math.max(max, sequence);
        }
        return below;
    }

    private static List<Long> range(int count) {
        List<Long> sequences = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            sequences.add(i);
        }
        return sequences;
    }

    private static SequenceVerifier verify(int count, List<Long> arrivals) {
        SequenceVerifier verifier = new SequenceVerifier(count);
        arrivals.forEach(verifier::onSequence);
        return verifier;
    }

    private static void assertCounts(
            SequenceVerifier verifier,
            long verified,
            long lost,
            long reordered,
            long duplicated,
            long corrupt) {
        assertEquals(
                List.of(verified, lost, reordered, duplicated, corrupt),
                List.of(
                        verifier.verified(),
                        verifier.lost(),
                        verifier.reordered(),
                        verifier.duplicated(),
                        verifier.corrupt()));
    }
}
