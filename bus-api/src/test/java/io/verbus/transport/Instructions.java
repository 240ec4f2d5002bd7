// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Measures costs in instructions: in the lab of {@code lab/junit --instructions} each instruction
 * is a nanosecond of {@link System#nanoTime()}, independent of caches and other processes.
 * Elsewhere costs are times, which are only printed.
 */
public final class Instructions {
    /** Environment variable with the accelerator by which the lab emulates its processors. */
    public static final String ACCELERATOR = "VERBUS_LAB_ACCEL";

    /** Its value if instructions are counted. */
    public static final String COUNTING = "icount";

    private static final boolean ARE_COUNTED = COUNTING.equals(System.getenv(ACCELERATOR));

    private Instructions() {}

    /** Asserts that a cost has not grown by more than 2 %. */
    public static void assertFlat(double before, double now, String what) {
        if (ARE_COUNTED) {
            assertTrue(now <= 1.02 * before, what + ": " + now + " ns instead of " + before);
        }
    }
}
