// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class DeparturesTest {
    private static final int STEPS = 1000;
    private static final long STEP_NS = 100_000;

    private final Departures departures = new Departures(() -> true);
    private final List<Integer> taken = new ArrayList<>();

    private void add(int step) {
        departures.add(
                () -> {
                    long startNs = System.nanoTime();
                    while (System.nanoTime() - startNs < STEP_NS) {
                        Thread.onSpinWait();
                    }
                    taken.add(step);
                });
    }

    @Test
    void releasesResourcesOfClientInSlices() {
        for (int i = 0; i < STEPS; i++) {
            add(i);
        }
        int slices = 0;
        while (taken.size() < STEPS) {
            int before = taken.size();
            assertEquals(departures.work(), taken.size() - before);
            assertTrue(taken.size() > before, "at least a step");
            assertTrue(taken.size() - before < STEPS / 10, "a millisecond's worth");
            slices++;
        }
        assertTrue(slices > 10);
        assertEquals(STEPS - 1, taken.getLast());
        assertEquals(0, departures.work());
    }

    @Test
    void doesNotRetryFailedStep() {
        departures.add(
                () -> {
                    throw new IllegalStateException("bad step");
                });
        departures.add(() -> taken.add(1));
        try {
            departures.work();
        } catch (IllegalStateException e) {
            departures.work();
        }
        assertEquals(List.of(1), taken);
    }
}
