// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.status.AtomicLongPosition;
import org.agrona.concurrent.status.Position;
import org.junit.jupiter.api.Test;

class CountedPositionsTest {
    private static final int TERM = 64 * 1024;

    private final CountedPositions positions = new CountedPositions(TERM, 0);
    private final AtomicLongPosition first = new AtomicLongPosition();
    private final AtomicLongPosition second = new AtomicLongPosition();

    /** A position that runs an action once, while it is being read. */
    private static final class Interrupted extends AtomicLongPosition {
        Runnable other = () -> {};

        @Override
        public long getAcquire() {
            long position = super.getAcquire();
            Runnable once = other;
            other = () -> {};
            once.run();
            return position;
        }
    }

    private long joinAtLeast(Position joining) {
        return positions.joinLeast(joining, positions::released);
    }

    @Test
    void releasesUpToSlowestReader() {
        joinAtLeast(first);
        joinAtLeast(second);
        first.set(640);
        assertEquals(0, positions.release(Long.MAX_VALUE));
        second.set(320);
        assertEquals(320, positions.least());
        assertEquals(128, positions.release(128));
        assertEquals(320, positions.release(Long.MAX_VALUE));
        positions.leave(second);
        assertEquals(640, positions.release(Long.MAX_VALUE));
        assertEquals(640, positions.furthest());
    }

    @Test
    void joinsAtSlowestReaderButNotBelowReleasedPosition() {
        joinAtLeast(first);
        joinAtLeast(second);
        first.set(640);
        second.set(320);
        AtomicLongPosition third = new AtomicLongPosition();
        assertEquals(320, joinAtLeast(third));
        assertEquals(320, third.get());
        positions.leave(second);
        positions.leave(third);
        positions.release(Long.MAX_VALUE);
        assertEquals(640, positions.join(third, () -> 128));
    }

    @Test
    void releasesUpToBoundWithoutReaders() {
        assertEquals(0, positions.release(Long.MAX_VALUE));
        assertEquals(320, positions.release(320));
        assertEquals(320, joinAtLeast(first));
    }

    /** While the position is being chosen, the other reader advances and the log is released. */
    @Test
    void releasesNothingWhileReaderChoosesPosition() {
        joinAtLeast(first);
        long joined =
                positions.join(
                        second,
                        () -> {
                            long wanted = first.get();
                            first.set(640);
                            assertEquals(0, positions.release(Long.MAX_VALUE));
                            return wanted;
                        });
        assertEquals(0, joined);
        assertEquals(0, positions.release(Long.MAX_VALUE));
    }

    /** A reader joins after the positions were read and before the release. */
    @Test
    void releasesNothingWhenReadersHaveChanged() {
        Interrupted reader = new Interrupted();
        joinAtLeast(reader);
        reader.set(640);
        long[] joined = new long[1];
        reader.other =
                () -> joined[0] = positions.join(second, () -> 320); // where the reader was before
        long released = positions.release(Long.MAX_VALUE);
        assertTrue(released <= joined[0], released + " is released, but " + joined[0] + " read");
        assertEquals(320, positions.release(Long.MAX_VALUE));
    }

    @Test
    void releasesNothingForImpossiblePosition() {
        joinAtLeast(first);
        joinAtLeast(second);
        first.set(640);
        second.set(640);
        assertEquals(640, positions.release(Long.MAX_VALUE));
        assertFalse(positions.isDoubtful());

        first.set(1_000_000_000);
        second.set(1_000_000_000);
        assertEquals(640, positions.release(Long.MAX_VALUE));
        assertTrue(positions.isDoubtful());
        assertTrue(positions.isImpossible(first.get(), Long.MAX_VALUE));
        assertEquals(640, positions.furthest());
        second.set(650); // no frame starts there
        assertEquals(640, positions.furthest());

        first.set(320);
        second.set(672);
        assertFalse(positions.isDoubtful());
        assertEquals(640, positions.release(Long.MAX_VALUE));
        assertTrue(positions.isDoubtful());
        assertTrue(positions.isImpossible(320, Long.MAX_VALUE));
        assertTrue(positions.isImpossible(704, 672));
        assertTrue(positions.isImpossible(641, Long.MAX_VALUE));
        assertFalse(positions.isImpossible(672, 672));
    }
}
