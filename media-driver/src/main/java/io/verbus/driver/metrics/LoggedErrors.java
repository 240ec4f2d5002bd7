// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The most recent errors of a driver, by their first lines. Because the log may contain anything,
 * it is read only up to the first invalid record.
 */
final class LoggedErrors {
    private static final int MAX_ERRORS = 50;
    private static final int MAX_CHARACTERS = 400;

    /**
     * A logged error.
     *
     * @param text first line.
     * @param count number of occurrences.
     * @param lastMs time of the last occurrence in milliseconds since 1970.
     */
    record Logged(String text, long count, long lastMs) {
        private Logged and(Logged other) {
            return new Logged(text, count + other.count, Math.max(lastMs, other.lastMs));
        }
    }

    private LoggedErrors() {}

    /** Reads the most recent errors. */
    static List<Logged> read(DirectBuffer log) {
        Map<String, Logged> byText = new LinkedHashMap<>();
        int at = 0;
        while (at <= log.capacity() - DistinctErrorLog.ENCODED_ERROR_OFFSET) {
            int length = log.getInt(at + DistinctErrorLog.LENGTH_OFFSET);
            if (length < DistinctErrorLog.ENCODED_ERROR_OFFSET || length > log.capacity() - at) {
                break;
            }
            Logged logged =
                    new Logged(
                            firstLine(log, at + DistinctErrorLog.ENCODED_ERROR_OFFSET, at + length),
                            Math.max(0, log.getInt(at + DistinctErrorLog.OBSERVATION_COUNT_OFFSET)),
                            log.getLong(at + DistinctErrorLog.LAST_OBSERVATION_TIMESTAMP_OFFSET));
            byText.merge(logged.text, logged, Logged::and);
            at += BitUtil.align(length, DistinctErrorLog.RECORD_ALIGNMENT);
        }
        List<Logged> last = new ArrayList<>(byText.values());
        last.sort(Comparator.comparingLong(Logged::lastMs).reversed());
        return last.subList(0, Math.min(MAX_ERRORS, last.size()));
    }

    private static String firstLine(DirectBuffer log, int from, int to) {
        int end = from;
        while (end < to && end - from < MAX_CHARACTERS && log.getByte(end) != '\n') {
            end++;
        }
        return log.getStringWithoutLengthUtf8(from, end - from).replaceAll("\\p{Cntrl}", " ");
    }
}
