// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks which logs are trusted to zero ahead: only those of exclusive publications. */
class LogCleanerTest {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final long WINDOW = 2L * TERM_LENGTH;
    private static final int CONSUMED = 4096;

    private static LogBuffers soiledLog(LogType type, int zeroesAhead) {
        LogBuffers log = TestLogs.create(TestLogs.spec(type, TERM_LENGTH, 1408, 7, 0));
        log.term(0).setMemory(0, TERM_LENGTH, (byte) 0x55);
        log.metadata().putInt(LogLayout.ZEROES_AHEAD, zeroesAhead);
        return log;
    }

    private static void assertIsCleanedBeforeTheLimitIsRaised(LogBuffers log) {
        LogCleaner cleaner = new LogCleaner(log, 0);
        assertTrue(cleaner.isNeeded());
        assertEquals(WINDOW, cleaner.limit(CONSUMED, WINDOW), "nothing is clean yet");
        assertEquals(CONSUMED, cleaner.clean(CONSUMED, TERM_LENGTH));
        assertEquals(WINDOW + CONSUMED, cleaner.limit(CONSUMED, WINDOW));
        for (int at = 0; at < TERM_LENGTH; at++) {
            assertEquals(at < CONSUMED ? 0 : 0x55, log.term(0).getByte(at), "byte " + at);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "EXCLUSIVE_PUBLICATION", mode = EnumSource.Mode.EXCLUDE)
    void cleansConcurrentLogsAndImagesRegardlessOfMetadata(LogType type) {
        try (LogBuffers log = soiledLog(type, 1)) {
            assertIsCleanedBeforeTheLimitIsRaised(log);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, -1, Integer.MIN_VALUE, 1 << 24})
    void cleansExclusiveLogUnlessWriterZeroesAhead(int zeroesAhead) {
        try (LogBuffers log = soiledLog(LogType.EXCLUSIVE_PUBLICATION, zeroesAhead)) {
            assertIsCleanedBeforeTheLimitIsRaised(log);
        }
    }

    @ParameterizedTest
    @EnumSource(names = "EXCLUSIVE_PUBLICATION")
    void skipsExclusiveLogWhoseWriterZeroesAhead(LogType type) {
        try (LogBuffers log = soiledLog(type, 1)) {
            LogCleaner cleaner = new LogCleaner(log, 0);
            assertFalse(cleaner.isNeeded());
            assertEquals(WINDOW + CONSUMED, cleaner.limit(CONSUMED, WINDOW));
            assertEquals(0, cleaner.clean(CONSUMED, TERM_LENGTH));
            assertEquals(CONSUMED, cleaner.cleaned(), "should it ever say otherwise");
            assertEquals(0x55, log.term(0).getByte(0));
        }
    }

    /** The metadata is read at each step. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void resumesCleaningOnceWriterNoLongerZeroesAhead(int zeroesAhead) {
        try (LogBuffers log = soiledLog(LogType.EXCLUSIVE_PUBLICATION, 1)) {
            LogCleaner cleaner = new LogCleaner(log, 0);
            cleaner.clean(CONSUMED, TERM_LENGTH);
            log.metadata().putInt(LogLayout.ZEROES_AHEAD, zeroesAhead);
            assertEquals(WINDOW + CONSUMED, cleaner.limit(2 * CONSUMED, WINDOW));
            assertEquals(CONSUMED, cleaner.clean(2 * CONSUMED, TERM_LENGTH));
            assertEquals(0x55, log.term(0).getByte(CONSUMED - 1));
            assertEquals(0, log.term(0).getByte(CONSUMED));
        }
    }
}
