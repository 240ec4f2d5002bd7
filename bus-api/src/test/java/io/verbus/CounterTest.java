// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.junit.jupiter.api.Test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.TreeSet;

class CounterTest {
    /**
     * Methods that need the driver's counters manager, and methods implemented by the counter
     * itself.
     */
    private static final Set<String> OF_THE_OWNER =
            Set.of(
                    "label",
                    "updateLabel",
                    "appendToLabel",
                    "updateKey",
                    "disconnectCountersManager");

    private static CountersManager counters() {
        return new CountersManager(
                new UnsafeBuffer(ByteBuffer.allocateDirect(64 * 1024)),
                new UnsafeBuffer(ByteBuffer.allocateDirect(16 * 1024)));
    }

    /** A method that is not delegated would access the counter's previous memory. */
    @Test
    void overridesEveryMethodOfAtomicCounter() {
        TreeSet<String> missing = new TreeSet<>();
        for (Method method : AtomicCounter.class.getDeclaredMethods()) {
            if (Modifier.isPublic(method.getModifiers())
                    && !OF_THE_OWNER.contains(method.getName())) {
                try {
                    Counter.class.getDeclaredMethod(method.getName(), method.getParameterTypes());
                } catch (NoSuchMethodException e) {
                    missing.add(method.toString());
                }
            }
        }
        assertEquals(Set.of(), missing);
    }

    @Test
    void movesValueToNextDriverUnlessClosed() {
        CountersManager first = counters();
        Counter counter = new Counter(1, 1, first, first.allocate("one"), null);
        counter.set(7);
        counter.leave();
        counter.increment();
        assertEquals(7, first.getCounterValue(0));
        CountersManager second = counters();
        second.allocate("another's");
        int id = second.allocate("one");
        assertTrue(counter.move(2, second, id, true));
        assertEquals(8, second.getCounterValue(id));
        assertEquals("counter 1 registration=2 value=8", counter.toString());
        counter.close();
        assertFalse(counter.move(3, second, 0, true));
        assertEquals(0, second.getCounterValue(0));
        assertTrue(counter.isClosed());
    }
}
