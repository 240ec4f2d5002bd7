// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LogScannerTest {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final LogBuffers log = TestLogs.create(TERM_LENGTH, 1408);
    private final ExclusiveAppender appender = new ExclusiveAppender(log);
    private final LogScanner scanner = new LogScanner(log);

    @AfterEach
    void close() {
        log.close();
    }

    private void append(int length) {
        appender.append(new UnsafeBuffer(new byte[length]), 0, length, 0, NO_LIMIT);
    }

    @Test
    void endsRunAtFrontier() {
        assertEquals(0, scanner.available(0, NO_LIMIT, 1000));
        append(1);
        append(33);
        assertEquals(160, scanner.available(0, NO_LIMIT, 1000));
        assertEquals(160, scanner.available(64, NO_LIMIT, 1000));
        assertEquals(160, scanner.available(160, NO_LIMIT, 1000));
        assertEquals(0, scanner.padding());
    }

    @Test
    void includesOnlyFramesThatEndWithinLimit() {
        append(1);
        append(33);
        assertEquals(0, scanner.available(0, 63, 1000));
        assertEquals(64, scanner.available(0, 64, 1000));
        assertEquals(64, scanner.available(0, 159, 1000));
        assertEquals(160, scanner.available(0, 160, 1000));
        assertEquals(64, scanner.available(64, 0, 1000));
        assertEquals(1L << 40, scanner.available(1L << 40, 0, 1000));
    }

    @Test
    void boundsRunByBytesButIncludesFirstFrame() {
        append(1);
        append(33);
        assertEquals(64, scanner.available(0, NO_LIMIT, 1));
        assertEquals(64, scanner.available(0, NO_LIMIT, 159));
        assertEquals(160, scanner.available(0, NO_LIMIT, 160));
    }

    @Test
    void endsRunAfterPaddingWithoutCountingItsBody() {
        append(1);
        BufferClaim claim = new BufferClaim();
        appender.claim(1000, claim, NO_LIMIT);
        append(1);
        claim.abort();
        assertEquals(64 + 1056, scanner.available(0, NO_LIMIT, 96));
        assertEquals(1024, scanner.padding());
        assertEquals(64, scanner.available(0, NO_LIMIT, 95));
        assertEquals(0, scanner.padding());
    }

    @Test
    void endsRunAtEndOfTerm() {
        while (appender.position() < TERM_LENGTH) {
            append(8000);
        }
        append(8000);
        long position = 0;
        while (position < TERM_LENGTH) {
            long end = scanner.available(position, NO_LIMIT, 1_000_000);
            assertEquals(TERM_LENGTH, end);
            position = end;
        }
        assertEquals(appender.position(), scanner.available(TERM_LENGTH, NO_LIMIT, 1_000_000));
    }

    @Test
    void endsRunAtOpenClaim() {
        append(1);
        BufferClaim claim = new BufferClaim();
        appender.claim(1, claim, NO_LIMIT);
        append(1);
        assertEquals(64, scanner.available(0, NO_LIMIT, 1000));
        claim.commit();
        assertEquals(192, scanner.available(0, NO_LIMIT, 1000));
    }

    @Test
    void reportsInvalidFrameOnlyAtStartOfRun() {
        append(1);
        log.term(0).putLong(64, FrameHeader.word(TERM_LENGTH, 0xC0, FrameHeader.TYPE_DATA));
        assertEquals(64, scanner.available(0, NO_LIMIT, 1000));
        assertThrows(InvalidFrameException.class, () -> scanner.available(64, NO_LIMIT, 1000));
    }

    @Test
    void findsFrontierAcrossTerms() {
        for (int i = 0; i < 12; i++) {
            append(8000);
        }
        FrontierScanner.Frontier frontier = FrontierScanner.scan(log, 0);
        assertEquals(appender.position(), frontier.position());
        assertEquals(null, frontier.defect());
    }

    @Test
    void findsFrontierAtInvalidFrame() {
        append(1);
        log.term(0).putLong(64, FrameHeader.word(-64, 0xC0, FrameHeader.TYPE_DATA));
        FrontierScanner.Frontier frontier = FrontierScanner.scan(log, 0);
        assertEquals(64, frontier.position());
        assertEquals(64, frontier.defect().position());
    }

    @Test
    void reportsLogWithoutFrontier() {
        for (int i = 0; i < LogLayout.PARTITIONS; i++) {
            long word = FrameHeader.word(TERM_LENGTH, 0xC0, FrameHeader.TYPE_DATA);
            log.term(i).putLong(0, word);
        }
        FrontierScanner.Frontier frontier = FrontierScanner.scan(log, TERM_LENGTH);
        assertEquals(4 * TERM_LENGTH, frontier.position());
        assertEquals(4 * TERM_LENGTH, frontier.defect().position());
    }

    @Test
    void cleanerZeroesInBoundedStepsUpToConsumedPosition() {
        for (int i = 0; i < LogLayout.PARTITIONS; i++) {
            log.term(i).setMemory(0, TERM_LENGTH, (byte) 1);
        }
        LogCleaner cleaner = new LogCleaner(log, TERM_LENGTH - 64);
        assertEquals(32, cleaner.clean(TERM_LENGTH + 96, 32));
        assertEquals(32, cleaner.clean(TERM_LENGTH + 96, 1000), "a step ends with the term");
        assertEquals(96, cleaner.clean(TERM_LENGTH + 96, 1000));
        assertEquals(0, cleaner.clean(TERM_LENGTH + 96, 1000));
        assertEquals(0, cleaner.clean(0, 1000));
        assertEquals(TERM_LENGTH + 96, cleaner.cleaned());
        assertEquals(0x0101_0101_0101_0101L, log.term(0).getLong(TERM_LENGTH - 72));
        assertEquals(0, log.term(0).getLong(TERM_LENGTH - 64));
        assertEquals(0, log.term(1).getLong(88));
        assertEquals(0x0101_0101_0101_0101L, log.term(1).getLong(96));
    }

    @Test
    void limitExcludesUncleanedThirdTerm() {
        LogCleaner cleaner = new LogCleaner(log, 0);
        assertEquals(1000, cleaner.limit(0, 1000));
        assertEquals(2 * TERM_LENGTH, cleaner.limit(4096, 2 * TERM_LENGTH));
        cleaner.clean(4096, 1024);
        assertEquals(2 * TERM_LENGTH + 1024, cleaner.limit(4096, 2 * TERM_LENGTH));
    }
}
