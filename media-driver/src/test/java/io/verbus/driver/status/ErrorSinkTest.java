// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;

import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.errors.ErrorLogReader;
import org.agrona.concurrent.status.CountersManager;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

class ErrorSinkTest {
    private static final int ERRORS = 100;

    private final UnsafeBuffer buffer = memory(4 * 1024);
    private final CountersManager counters =
            new CountersManager(
                    memory(4 * CountersManager.METADATA_LENGTH),
                    memory(4 * CountersManager.COUNTER_LENGTH));
    private final List<Throwable> handled = new ArrayList<>();

    private static UnsafeBuffer memory(int length) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(length));
    }

    /** A source of distinct errors does not fill the file behind standard error either. */
    @Test
    void reportsFullLogOnceOnStandardError() {
        var count = counters.newCounter("errors");
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        PrintStream before = System.err;
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        DriverFailure failure = new DriverFailure();
        try (ErrorReports reports = new ErrorReports(failure)) {
            ErrorSink sink =
                    new ErrorSink(
                            new DistinctErrorLog(buffer, SystemEpochClock.INSTANCE),
                            count,
                            handled::add,
                            reports,
                            failure);
            for (int i = 0; i < ERRORS; i++) {
                BusException error = new BusException("error " + i);
                error.setStackTrace(
                        new StackTraceElement[] {new StackTraceElement("A", "b", "A.java", i)});
                sink.onError(error);
            }
        } finally {
            System.setErr(before);
        }
        int recorded = ErrorLogReader.read(buffer, (observed, first, last, text) -> {});
        assertTrue(recorded > 0 && recorded < ERRORS);
        String text = told.toString(StandardCharsets.UTF_8);
        assertEquals(1, text.lines().filter(line -> line.contains("log is full")).count(), text);
        assertTrue(text.contains("error " + recorded), text);
        assertTrue(!text.contains("error " + (recorded + 1)), text);
        assertEquals(ERRORS, count.get());
        assertEquals(ERRORS, handled.size());
    }

    @Test
    void limitsEntriesOfOneSourceLine() {
        UnsafeBuffer large = memory(4 * 1024 * 1024);
        var count = counters.newCounter("errors");
        DriverFailure failure = new DriverFailure();
        try (ErrorReports reports = new ErrorReports(failure)) {
            ErrorSink sink =
                    new ErrorSink(
                            new DistinctErrorLog(large, SystemEpochClock.INSTANCE),
                            count,
                            error -> {},
                            reports,
                            failure);
            for (int i = 0; i < 5000; i++) {
                sink.onError(new BusException("no route to 10.0.0.1:" + i));
                sink.onError(new BusException("no route to 10.0.0.1:0"));
            }
            sink.onError(new IllegalStateException("honest"));
        }
        int recorded = ErrorLogReader.read(large, (observed, first, last, text) -> {});
        assertEquals(ErrorSink.MAX_OF_PLACE + 3, recorded);
        assertEquals(10_001, count.get());
    }
}
