// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.lives;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * Runs lives on the strict device: {@code verbus.lives} times as many as a test has by default,
 * from {@code verbus.seed} on.
 */
final class Lives {
    private static final int FACTOR = Integer.getInteger("verbus.lives", 1);

    private static final int PROGRESS = 100;

    private Lives() {}

    /**
     * Runs lives; a failure names the seed.
     *
     * @param count number by default.
     * @param life runs the life of a seed.
     * @return the number of lives.
     */
    static int run(int count, LongConsumer life) {
        long startNs = System.nanoTime();
        long first = Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
        for (int i = 0; i < count * FACTOR; i++) {
            long seed = first + i;
            try {
                life.accept(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "life %d, -Dverbus.seed=%d: %s".formatted(i, seed, e.getMessage()), e);
            }
            if ((i + 1) % PROGRESS == 0) {
                long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs);
                System.out.println(i + 1 + " lives in " + seconds + " s");
            }
        }
        return count * FACTOR;
    }

    /** Returns options of drivers that are quick to notice failures. */
    static String[] options(long seed) {
        boolean isSafe = seed % 3 == 0 || "safe".equals(DeviceDriver.ORDER);
        return new String[] {
            "rdma.backoff-min", "1ms",
            "rdma.backoff-max", "4ms",
            "rdma.probe-timeout", "100ms",
            "rdma.probe-interval", "5ms",
            "rdma.status-interval", "1ms",
            "rdma.linger", "2ms",
            "rdma.resume-timeout", "400ms",
            "rdma.connect-timeout", "2s",
            "rdma.half-open-timeout", "2500ms",
            "rdma.order", isSafe ? "safe" : "trust"
        };
    }
}
