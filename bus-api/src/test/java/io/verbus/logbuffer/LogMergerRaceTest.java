// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A source that lags writes its frames while the merger skips them. */
@Timeout(60)
class LogMergerRaceTest {
    private static final int TERM = 16 * 1024 * 1024;
    private static final int LENGTH = 32;
    private static final int ROUNDS = 4;

    private static LogBuffers image() {
        return TestLogs.create(TestLogs.spec(LogType.IMAGE, TERM, 1408, 7, 0));
    }

    /** Commits the frames of one term, as a peer that writes the source's log. */
    private static void write(LogBuffers log) {
        UnsafeBuffer term = log.term(0);
        for (int at = 0; at < TERM; at += LENGTH) {
            term.putShort(at + FrameHeader.TYPE, (short) FrameHeader.TYPE_DATA);
            term.putIntRelease(at, LENGTH);
        }
    }

    @Test
    void skipsFramesThatArriveDuringMerge() throws InterruptedException {
        for (int round = 0; round < ROUNDS; round++) {
            try (LogBuffers merged = image();
                    LogBuffers late = image()) {
                LogMerger merger = new LogMerger(merged);
                merger.goOnFrom(TERM);
                LogMerger.Source source = new LogMerger.Source(late, 0);
                Thread writer = Thread.ofPlatform().start(() -> write(late));
                try {
                    while (source.position() < TERM) {
                        merger.merge(source, TERM, LENGTH);
                    }
                } finally {
                    writer.join();
                }
                assertEquals(TERM, source.position());
            }
        }
    }
}
