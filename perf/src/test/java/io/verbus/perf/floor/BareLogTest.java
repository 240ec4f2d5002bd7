// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

@Timeout(60)
class BareLogTest {
    private static final int TERM = 64 * 1024;

    @ParameterizedTest
    @ValueSource(ints = {16, 32, 65, 1024})
    void limitsWriterToTwoThirdsAheadOfReader(int length) {
        BareLog log = new BareLog(length, TERM);
        BareLog.Writer writer = log.new Writer();
        long[] read = new long[1];
        BareLog.Reader reader = log.new Reader((first, second) -> assertEquals(read[0]++, first));
        long written = 0;
        while (writer.write(written, 0)) {
            written++;
        }
        assertEquals(2 * TERM / ((32 + length + 31) / 32 * 32), written);
        assertEquals(1, reader.poll(1));
        assertTrue(writer.write(written, 0));
        assertFalse(writer.write(written, 0));
        assertEquals(written, reader.poll(Integer.MAX_VALUE));
        assertEquals(0, reader.poll(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 100})
    void transfersMessagesOnceInOrderOverManyLaps(int length) throws Exception {
        BareLog log = new BareLog(length, TERM);
        long messages = 20L * TERM / 32;
        long[] read = new long[1];
        BareLog.Reader reader =
                log
                .new Reader(
                        (first, second) -> {
                            assertEquals(read[0]++, first);
                            assertEquals(-first, second);
                        });
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<?> writing = threads.submit(() -> write(log.new Writer(), messages));
            while (read[0] < messages && !Thread.currentThread().isInterrupted()) {
                if (reader.poll(10) == 0) {
                    Thread.yield();
                }
            }
            writing.get(10, TimeUnit.SECONDS);
        }
        assertEquals(messages, read[0]);
        assertEquals(0, reader.poll(1));
    }

    private static void write(BareLog.Writer writer, long messages) {
        for (long i = 0; i < messages && !Thread.currentThread().isInterrupted(); ) {
            if (writer.write(i, -i)) {
                i++;
            } else {
                Thread.yield();
            }
        }
    }
}
