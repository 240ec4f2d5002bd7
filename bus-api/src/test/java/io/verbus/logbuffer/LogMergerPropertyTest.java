// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterTry;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Sources deliver parts of one stream, interleaved arbitrarily, and stop and restart at any step.
 */
class LogMergerPropertyTest {
    private static final int TERM = 64 * 1024;
    private static final int BITS = LogLayout.positionBitsToShift(TERM);
    private static final int FRAMES = 600;
    private static final long WINDOW = TERM;

    private static final List<LogBuffers> OPEN = new ArrayList<>();

    private static LogBuffers image(long position) {
        LogBuffers log = TestLogs.create(TestLogs.spec(LogType.IMAGE, TERM, 1408, 7, position));
        OPEN.add(log);
        return log;
    }

    @AfterEach
    @AfterTry
    void close() {
        OPEN.forEach(LogBuffers::close);
        OPEN.clear();
    }

    /** The stream that all sources carry: where each frame starts, and its length. */
    private static final class Script {
        final List<Long> begins = new ArrayList<>();
        final List<Integer> lengths = new ArrayList<>();
        long end;

        Script(Random random, long start) {
            end = start;
            for (int i = 0; i < FRAMES; i++) {
                int left = TERM - LogLayout.termOffset(end, TERM);
                int length = FrameHeader.LENGTH + random.nextInt(3000);
                boolean isPadding = FrameHeader.align(length) > left;
                begins.add(end);
                lengths.add(isPadding ? -left : length);
                end += isPadding ? left : FrameHeader.align(length);
            }
        }

        int indexOf(long position) {
            int index = begins.indexOf(position);
            return position == end ? FRAMES : index;
        }

        static byte content(long begin, int offset) {
            return (byte) (begin / 32 * 31 + offset);
        }
    }

    /**
     * A source's own log, written as a sender does: zeroes the next word, and writes the first word
     * last.
     */
    private static final class Writer {
        final LogBuffers log = image(0);
        final LogMerger.Source source;
        int next;

        Writer(Script script, int first) {
            next = first;
            source =
                    new LogMerger.Source(
                            log, first == FRAMES ? script.end : script.begins.get(first));
        }

        void write(Script script, int frames) {
            for (int i = 0; i < frames && next < FRAMES; i++, next++) {
                long begin = script.begins.get(next);
                int length = Math.abs(script.lengths.get(next));
                long end = begin + FrameHeader.align(length);
                if (end - source.position() > WINDOW) {
                    return;
                }
                UnsafeBuffer term = log.term(LogLayout.partition(begin, BITS));
                int offset = LogLayout.termOffset(begin, TERM);
                boolean isPadding = script.lengths.get(next) < 0;
                for (int at = FrameHeader.LENGTH; !isPadding && at < length; at++) {
                    term.putByte(offset + at, Script.content(begin, at));
                }
                log.term(LogLayout.partition(end, BITS))
                        .putLong(LogLayout.termOffset(end, TERM), 0);
                term.putShort(
                        offset + FrameHeader.TYPE,
                        (short) (isPadding ? FrameHeader.TYPE_PAD : FrameHeader.TYPE_DATA));
                term.putIntRelease(offset, length);
            }
        }
    }

    /** Reads the merged log like a subscriber; returns its position. */
    private static long read(LogBuffers log, Script script, long from, int most) {
        long at = from;
        for (int i = 0; i < most; i++) {
            UnsafeBuffer term = log.term(LogLayout.partition(at, BITS));
            int offset = LogLayout.termOffset(at, TERM);
            int length = term.getIntAcquire(offset);
            if (length == 0) {
                return at;
            }
            int expected = script.lengths.get(script.indexOf(at));
            assertEquals(Math.abs(expected), length, "at " + at);
            for (int byteAt = FrameHeader.LENGTH; expected > 0 && byteAt < length; byteAt++) {
                assertEquals(Script.content(at, byteAt), term.getByte(offset + byteAt));
            }
            at += FrameHeader.align(length);
        }
        return at;
    }

    @Property(tries = 150)
    void mergesEveryByteOnceAndInOrder(
            @ForAll long seed, @ForAll @IntRange(min = 2, max = 4) int sources) {
        Random random = new Random(seed);
        long start = 32L * random.nextInt(TERM / 16);
        Script script = new Script(random, start);
        LogBuffers log = image(start);
        LogMerger merger = new LogMerger(log);
        Writer[] writers = new Writer[sources];
        for (int i = 0; i < sources; i++) {
            writers[i] = new Writer(script, i == 0 ? 0 : random.nextInt(FRAMES / 2));
        }
        long read = start;
        for (int step = 0; read < script.end && step < 100_000; step++) {
            Writer writer = writers[random.nextInt(sources)];
            writer.write(script, random.nextInt(20));
            long before = merger.frontier();
            merger.merge(writer.source, read + WINDOW, 1 + random.nextInt(8192));
            assertTrue(merger.frontier() >= before && merger.frontier() <= read + WINDOW);
            read = read(log, script, read, random.nextInt(30));
            assertTrue(read <= merger.frontier());
            if (random.nextInt(200) == 0) { // stopped, and restarted at the frontier or before
                int cut = random.nextInt(sources);
                int reached = script.indexOf(merger.frontier());
                writers[cut] = new Writer(script, Math.max(0, reached - random.nextInt(40)));
            }
        }
        assertEquals(script.end, read);
        assertEquals(script.end, merger.frontier());
    }

    @Test
    void holdsBackSourceThatStartsLater() {
        Script script = new Script(new Random(7), 0);
        LogMerger merger = new LogMerger(image(0));
        Writer late = new Writer(script, 10);
        late.write(script, 5);
        assertEquals(0, merger.merge(late.source, TERM, TERM));
        assertEquals(0, merger.frontier());
        assertEquals(script.begins.get(10), late.source.position());
        Writer early = new Writer(script, 0);
        early.write(script, 10);
        merger.merge(early.source, TERM, TERM);
        assertEquals(script.begins.get(10), merger.frontier());
        assertTrue(merger.merge(late.source, TERM, TERM) > 0);
        assertEquals(script.begins.get(15), merger.frontier());
    }

    @Test
    void rejectsSourceOfAnotherStream() {
        Script one = new Script(new Random(1), 0);
        Script other = new Script(new Random(2), 0);
        LogMerger merger = new LogMerger(image(0));
        Writer first = new Writer(one, 0);
        first.write(one, 7);
        merger.merge(first.source, TERM, TERM);
        Writer second = new Writer(other, 0);
        second.write(other, 20);
        InvalidFrameException wrong =
                assertThrows(
                        InvalidFrameException.class,
                        () -> {
                            for (int i = 0; i < 40; i++) {
                                merger.merge(second.source, TERM, TERM);
                            }
                        });
        assertTrue(wrong.getMessage().contains("where another source has a frame"));
    }
}
