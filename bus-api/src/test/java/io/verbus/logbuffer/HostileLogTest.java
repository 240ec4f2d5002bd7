// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.IntRange;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;

import java.util.Random;

/** Whatever a faulty writer leaves in a log, readers stay within the log and report the fault. */
@Tag("slow")
class HostileLogTest {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;

    @Property(tries = 400)
    void readerDeliversOnlyFramesWithinTerm(
            @ForAll @IntRange(min = 0, max = 2) int kind,
            @ForAll @IntRange(min = 0, max = 6143) int startUnit,
            @ForAll boolean isReplica,
            @ForAll long seed) {
        try (LogBuffers log = TestLogs.create(TERM_LENGTH, 1408)) {
            fill(log, kind, new Random(seed));
            AtomicLongPosition position = new AtomicLongPosition();
            position.set(32L * startUnit);
            LogReader reader = new LogReader(log, position, isReplica);
            for (int i = 0; i < 50; i++) {
                long before = reader.position();
                try {
                    if (i % 2 == 0) {
                        reader.poll((b, o, l, h) -> checkWithin(o, l, h), 1000);
                    } else {
                        reader.controlledPoll(
                                (b, o, l, h) -> {
                                    checkWithin(o, l, h);
                                    return ControlledFragmentHandler.Action.COMMIT;
                                },
                                1000);
                    }
                } catch (InvalidFrameException e) {
                    assertEquals(reader.position(), e.position());
                    assertTrue(e.getMessage().contains("position " + e.position()));
                }
                assertEquals(reader.position(), position.get());
                long moved = reader.position() - before;
                assertTrue(moved >= 0 && moved <= TERM_LENGTH);
            }
        }
    }

    private static void checkWithin(int offset, int length, Header header) {
        assertTrue(offset >= FrameHeader.LENGTH && length >= 0);
        assertTrue(offset + length <= TERM_LENGTH);
        assertEquals(length + FrameHeader.LENGTH, header.frameLength());
    }

    @Property(tries = 400)
    void scannersStopWithinTheLog(
            @ForAll @IntRange(min = 0, max = 2) int kind,
            @ForAll @IntRange(min = 0, max = 6143) int startUnit,
            @ForAll @IntRange(min = -1000, max = 200_000) int limit,
            @ForAll @IntRange(min = 0, max = 200_000) int maxBytes,
            @ForAll long seed) {
        try (LogBuffers log = TestLogs.create(TERM_LENGTH, 1408)) {
            fill(log, kind, new Random(seed));
            long position = 32L * startUnit;
            LogScanner scanner = new LogScanner(log);
            try {
                long end = scanner.available(position, position + limit, maxBytes);
                assertTrue(end >= position && end <= Math.max(position, position + limit));
                assertTrue(end <= (position / TERM_LENGTH + 1) * TERM_LENGTH);
                assertTrue(scanner.padding() >= 0 && scanner.padding() <= end - position);
            } catch (InvalidFrameException e) {
                assertEquals(position, e.position());
            }
            FrontierScanner.Frontier frontier = FrontierScanner.scan(log, position);
            assertTrue(frontier.position() >= position);
            assertTrue(frontier.position() <= position + 4L * TERM_LENGTH);
            if (frontier.defect() != null) {
                assertEquals(frontier.position(), frontier.defect().position());
            }
        }
    }

    @Property(tries = 300)
    void unblockerPadsOrReportsInvalidFrames(
            @ForAll @IntRange(min = 0, max = 2) int kind,
            @ForAll boolean isExclusive,
            @ForAll @IntRange(min = 1, max = 2047) int tailUnit,
            @ForAll long seed) {
        try (LogBuffers log = TestLogs.create(TERM_LENGTH, 1408)) {
            Random random = new Random(seed);
            fill(log, kind, random);
            log.metadata().putLong(LogLayout.RAW_TAILS, LogLayout.rawTail(7, 32 * tailUnit));
            long position = 32L * random.nextInt(tailUnit);
            LogUnblocker unblocker = new LogUnblocker(log, isExclusive);
            try {
                unblocker.check(position, 0, 0);
                unblocker.check(position, 1, 0);
                // A committed frame may extend past the tail; padding may not.
                assertTrue(unblocker.seal(position) <= TERM_LENGTH);
            } catch (InvalidFrameException e) {
                assertTrue(e.position() >= position && e.position() < 32L * tailUnit);
            }
        }
    }

    /** Random bytes, frames of random length and type, or well-formed frames with one defect. */
    private static void fill(LogBuffers log, int kind, Random random) {
        for (int i = 0; i < LogLayout.PARTITIONS; i++) {
            UnsafeBuffer term = log.term(i);
            for (int at = 0; at < TERM_LENGTH; at += 8) {
                term.putLong(at, random.nextLong());
            }
            if (kind == 0) {
                continue;
            }
            for (int at = 0; at < TERM_LENGTH; ) {
                int length = 32 + random.nextInt(kind == 1 ? 5000 : 200);
                int left = TERM_LENGTH - at;
                if (kind == 2) {
                    length = Math.min(length, left);
                    if (random.nextInt(500) == 0) {
                        length = random.nextInt(4) == 0 ? 0 : random.nextInt();
                    }
                }
                int type = random.nextInt(50) == 0 ? random.nextInt(3) : FrameHeader.TYPE_DATA;
                term.putLong(at, length == 0 ? 0 : FrameHeader.word(length, 0xC0, type));
                at += length < 32 || length > left ? 32 : FrameHeader.align(length);
            }
        }
    }
}
