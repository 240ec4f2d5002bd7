// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Costs in instructions: in the lab of {@code lab/junit --instructions} each is a nanosecond of
 * {@link System#nanoTime()}, and neither caches nor other processes count. Elsewhere costs are
 * times, which are shown only.
 */
public final class Instructions {
    /** Variable that tells how the lab emulates its processors. */
    public static final String ACCELERATOR = "VERBUS_LAB_ACCEL";

    /** Its value where instructions are counted. */
    public static final String COUNTING = "icount";

    private static final boolean ARE_COUNTED = COUNTING.equals(System.getenv(ACCELERATOR));

    private Instructions() {}

    /** That what has grown costs as many instructions as before, within 2 %. */
    public static void assertFlat(double before, double now, String what) {
        if (ARE_COUNTED) {
            assertEquals(before, now, 0.02 * before, what);
        }
    }
}
