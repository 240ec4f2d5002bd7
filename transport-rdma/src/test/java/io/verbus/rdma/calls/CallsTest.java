// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

@Timeout(60)
class CallsTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(50);
    private static final int LANES = 40;

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final Calls calls = new Calls("calls-test", errors::add);
    private final CountDownLatch release = new CountDownLatch(1);

    private void hold() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Reports results until the given number was reported. */
    private void tell(int results) {
        int told = 0;
        while (told < results) {
            told += calls.tell(results - told);
            Thread.onSpinWait();
        }
    }

    @Test
    void runsCallsOfLaneInOrderOneAtATime() {
        List<Integer> made = new ArrayList<>(); // used by one lane: needs no lock
        AtomicBoolean isIn = new AtomicBoolean();
        List<Integer> told = new ArrayList<>();
        Lane lane = calls.lane();
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            lane.call(
                    "call " + i,
                    () -> {
                        assertFalse(isIn.getAndSet(true));
                        made.add(number);
                        isIn.set(false);
                    },
                    failure -> {
                        assertNull(failure);
                        told.add(number);
                    });
        }
        tell(1_000);
        for (int i = 0; i < 1_000; i++) {
            assertEquals(i, made.get(i));
            assertEquals(i, told.get(i));
        }
        assertEquals(List.of(), calls.finish(() -> {}, LONG_NS));
    }

    @Test
    void runsOtherLanesWhileManyAreBlocked() {
        for (int i = 0; i < LANES; i++) {
            calls.lane().call("held", this::hold, failure -> {});
        }
        AtomicBoolean isTold = new AtomicBoolean();
        calls.lane().call("free", () -> {}, failure -> isTold.set(true));
        tell(1);
        assertTrue(isTold.get());
        release.countDown();
        tell(LANES);
        assertEquals(List.of(), calls.finish(() -> {}, LONG_NS));
    }

    @Test
    void reportsExceptionOfCall() {
        RuntimeException refused = new IllegalStateException("refused");
        List<RuntimeException> told = new ArrayList<>();
        calls.lane()
                .call(
                        "refused",
                        () -> {
                            throw refused;
                        },
                        told::add);
        tell(1);
        assertSame(refused, told.getFirst());
        assertEquals(List.of(), errors);
    }

    /** The error ends the driver, like an error on any other thread. */
    @Test
    void passesErrorToHandler() {
        Error fault = new AssertionError("a fault");
        List<RuntimeException> told = new ArrayList<>();
        calls.lane()
                .call(
                        "faulty",
                        () -> {
                            throw fault;
                        },
                        told::add);
        tell(1);
        assertEquals(List.of(fault), errors);
        assertSame(fault, told.getFirst().getCause());
    }

    @Test
    void finishesInTimeAndRunsLastCallWhenBlockedCallReturns() throws InterruptedException {
        Lane lane = calls.lane();
        List<String> made = new CopyOnWriteArrayList<>();
        CountDownLatch isLast = new CountDownLatch(1);
        lane.call("rdma_connect", this::hold, failure -> {});
        lane.call("rdma_destroy_id", () -> made.add("second"), failure -> {});
        List<String> held =
                calls.finish(
                        () -> {
                            made.add("last");
                            isLast.countDown();
                        },
                        TimeUnit.MILLISECONDS.toNanos(50));
        assertEquals(List.of("rdma_connect"), held);
        assertEquals(List.of(), made);
        release.countDown();
        isLast.await();
        assertEquals(List.of("second", "last"), made);
    }

    @Test
    void finishesWithoutCalls() {
        AtomicBoolean isLast = new AtomicBoolean();
        assertEquals(List.of(), calls.finish(() -> isLast.set(true), LONG_NS));
        assertTrue(isLast.get());
    }
}
