// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

class LingeringMappingsTest {
    private final List<String> unmapped = new ArrayList<>();
    private final List<Throwable> errors = new ArrayList<>();
    private final LingeringMappings lingering = new LingeringMappings(100, errors::add);

    @Test
    void unmapsMemoryAfterInterval() {
        lingering.add(() -> unmapped.add("first"), 10);
        lingering.add(() -> unmapped.add("second"), 20);
        assertEquals(0, lingering.unmap(109));
        assertEquals(1, lingering.unmap(110));
        assertEquals(List.of("first"), unmapped);
        assertEquals(1, lingering.unmap(1000));
        assertEquals(List.of("first", "second"), unmapped);
        assertEquals(0, lingering.unmap(2000));
    }

    @Test
    void retainsMemoryInUseForAnotherInterval() {
        AtomicBoolean isInUse = new AtomicBoolean(true);
        lingering.add(() -> unmapped.add("first"), isInUse::get, 10);
        lingering.add(() -> unmapped.add("second"), 20);
        assertEquals(1, lingering.unmap(120));
        assertEquals(List.of("second"), unmapped);
        isInUse.set(false);
        assertEquals(0, lingering.unmap(219));
        assertEquals(1, lingering.unmap(220));
        assertEquals(List.of("second", "first"), unmapped);
    }

    @Test
    void reportsFailureToUnmapAndUnmapsOthers() {
        IllegalStateException failure = new IllegalStateException("in use");
        lingering.add(
                () -> {
                    throw failure;
                },
                10);
        lingering.add(() -> unmapped.add("second"), 10);
        assertEquals(2, lingering.unmap(110));
        assertEquals(List.of(failure), errors);
        assertEquals(List.of("second"), unmapped);
    }

    @Test
    void unmapsRemainingMemoryInBackgroundAfterInterval() throws InterruptedException {
        long lingerNs = TimeUnit.MILLISECONDS.toNanos(20);
        CountDownLatch done = new CountDownLatch(1);
        List<Throwable> told = new ArrayList<>(); // read after the latch
        LingeringMappings memory = new LingeringMappings(lingerNs, told::add);
        long start = System.nanoTime();
        memory.add(
                () -> {
                    throw new IllegalStateException("in use");
                },
                start);
        AtomicInteger asked = new AtomicInteger();
        memory.add(done::countDown, () -> asked.incrementAndGet() < 3, start);
        memory.unmapInBackground();
        assertTrue(done.await(10, TimeUnit.SECONDS));
        assertTrue(System.nanoTime() - start >= 3 * lingerNs);
        assertEquals(3, asked.get());
        assertEquals(1, told.size());
    }
}
