// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.driver.Await;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

class ErrorReportsTest {
    private final DriverFailure failure = new DriverFailure();
    private final List<String> told = new CopyOnWriteArrayList<>();

    @Test
    void reportsNumberOfMissedErrorsToSlowHandler() {
        CountDownLatch isFree = new CountDownLatch(1);
        CountDownLatch isBusy = new CountDownLatch(1);
        try (ErrorReports reports = new ErrorReports(failure)) {
            reports.tell(
                    error -> {
                        isBusy.countDown();
                        await(isFree);
                    },
                    new BusException("first"));
            await(isBusy);
            for (int i = 0; i < ErrorReports.MAX_WAITING + 7; i++) {
                reports.tell(error -> told.add(error.getMessage()), new BusException("" + i));
            }
            assertEquals(List.of(), told);
            isFree.countDown();
            Await.until("told", () -> told.size() >= ErrorReports.MAX_WAITING);
        }
        assertEquals("0", told.getFirst());
        assertEquals("" + (ErrorReports.MAX_WAITING - 1), told.getLast());
        assertEquals(null, failure.error());
    }

    @Test
    void countsErrorsMissedByHandler() {
        CountDownLatch isFree = new CountDownLatch(1);
        CountDownLatch isBusy = new CountDownLatch(1);
        try (ErrorReports reports = new ErrorReports(failure)) {
            for (int i = 0; i < 3 * ErrorReports.MAX_WAITING; i++) {
                reports.tell(
                        error -> {
                            told.add(error.getMessage());
                            isBusy.countDown();
                            await(isFree);
                        },
                        new BusException("error " + i));
                await(isBusy);
            }
            isFree.countDown();
            Await.until("told", () -> told.size() == ErrorReports.MAX_WAITING + 2);
        }
        int missed = 2 * ErrorReports.MAX_WAITING - 1;
        assertTrue(told.get(1).contains("too slow to receive " + missed + " errors"), told.get(1));
    }

    @Test
    void continuesAfterHandlerThrows() {
        try (ErrorReports reports = new ErrorReports(failure)) {
            reports.tell(
                    error -> {
                        throw new IllegalStateException("a handler of the test throws this");
                    },
                    new BusException("first"));
            reports.tell(error -> told.add(error.getMessage()), new BusException("second"));
        }
        assertEquals(List.of("second"), told);
        assertEquals(null, failure.error());
    }

    @Test
    void failsDriverIfHandlerExhaustsHeap() throws InterruptedException {
        OutOfMemoryError exhausted = new OutOfMemoryError("of the test");
        try (ErrorReports reports = new ErrorReports(failure)) {
            reports.tell(
                    error -> {
                        throw exhausted;
                    },
                    new BusException("first"));
        }
        assertSame(exhausted, failure.await());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
