// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.background;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.driver.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

@Timeout(30)
class BackgroundTest {
    private final List<Throwable> errors = Collections.synchronizedList(new ArrayList<>());
    private final Background background = new Background(errors::add);
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private final List<String> told = new ArrayList<>();
    private final CountDownLatch gate = new CountDownLatch(1);

    @AfterEach
    void close() {
        gate.countDown();
        background.close();
    }

    private final class Slices implements SlicedTask {
        private final String name;
        private int left;

        private Slices(String name, int count) {
            this.name = name;
            this.left = count;
        }

        @Override
        public boolean work() {
            done.add(name);
            if (name.equals("gate")) {
                pass();
            }
            if (name.equals("bad")) {
                throw new IllegalStateException("bad");
            }
            if (name.equals("worse")) {
                throw new InternalError("worse");
            }
            return --left == 0;
        }

        @Override
        public void onDone(RuntimeException failure) {
            told.add(name + (failure == null ? "" : " " + failure.getMessage()));
        }
    }

    private void pass() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitTold(int count) {
        Await.until(
                count + " told",
                () -> {
                    background.tell(1);
                    return told.size() == count;
                });
    }

    @Test
    void interleavesLongTaskWithTasksOfOtherOwners() {
        background.begin("a", new Slices("gate", 1));
        Await.until("the gate", () -> done.contains("gate"));
        background.begin("a", new Slices("long", 3));
        background.begin("b", new Slices("short", 1));
        background.beginLater("c", new Slices("later", 1));
        gate.countDown();
        awaitTold(4);
        assertEquals(List.of("gate", "long", "short", "long", "long", "later"), done);
        assertEquals(List.of("gate", "short", "long", "later"), told);
    }

    @Test
    void reportsFailedTaskAndContinues() {
        background.begin("a", new Slices("bad", 2));
        background.begin("a", new Slices("worse", 2));
        background.begin("a", new Slices("good", 1));
        awaitTold(3);
        assertEquals(List.of("bad bad", "worse java.lang.InternalError: worse", "good"), told);
    }

    @Test
    void longCallDelaysNeitherSlicesNorLookUps() {
        background.call("owner", this::pass, failure -> told.add("call " + failure));
        background.begin("a", new Slices("slice", 1));
        background.lookUp("owner", () -> {}, () -> told.add("name"));
        awaitTold(2);
        assertFalse(told.contains("call null"));
        gate.countDown();
        awaitTold(3);
        assertTrue(told.contains("call null"));
    }

    @Test
    void limitsResultsPerTurn() {
        for (int i = 0; i < 5; i++) {
            background.call("owner", () -> done.add("call"), failure -> told.add("call"));
        }
        Await.until("all", () -> done.size() == 5);
        Await.until("two told", () -> background.tell(2) == 2);
        assertEquals(2, told.size());
        awaitTold(5);
    }

    @Test
    void failedResultHandlerDoesNotBlockOthers() {
        background.call(
                "owner",
                () -> {},
                failure -> {
                    throw new IllegalStateException("told badly");
                });
        background.call("owner", () -> {}, failure -> told.add("second"));
        awaitTold(1);
        assertEquals(1, errors.size());
    }

    @Test
    void closeRunsPendingCallsWithoutReportingThem() {
        AtomicBoolean isFreed = new AtomicBoolean();
        background.call(
                "owner", () -> Await.until("closing", () -> gate.getCount() == 0), failure -> {});
        background.call("owner", () -> isFreed.set(true), failure -> told.add("freed"));
        gate.countDown();
        background.close();
        assertTrue(isFreed.get());
        assertEquals(List.of(), told);
    }
}
