// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

class WarmUpTest {
    /** More 64-byte messages, including headers, than three terms of 64 KiB hold. */
    private static final int ONCE_ROUND_THE_LOG = 2048;

    @Test
    void exchangesMessagesForGivenTime() {
        Duration time = Duration.ofMillis(300);
        long start = System.nanoTime();
        long count = Bus.warmUp(time);
        long took = System.nanoTime() - start;
        assertTrue(count > 2 * ONCE_ROUND_THE_LOG, count + " round trips");
        assertTrue(took >= time.toNanos(), took + " ns");
        assertTrue(took < TimeUnit.SECONDS.toNanos(10), took + " ns");
    }

    @Test
    void runsOnSeveralThreadsConcurrently() {
        CompletableFuture<Long> other =
                CompletableFuture.supplyAsync(() -> Bus.warmUp(Duration.ofMillis(50)));
        assertTrue(Bus.warmUp(Duration.ofMillis(50)) > 0);
        assertTrue(other.join() > 0);
    }

    @Test
    void freesMemory() throws IOException {
        Bus.warmUp(Duration.ofMillis(300));
        long before = residentKib();
        for (int i = 0; i < 500; i++) {
            Bus.warmUp(Duration.ofNanos(1)); // takes 400 KiB for its logs
        }
        long grown = residentKib() - before;
        assertTrue(grown < 100 * 1024, "grown by " + grown + " KiB");
    }

    private static long residentKib() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .sum();
    }

    @Test
    void doesNothingForZeroTime() {
        assertEquals(0, Bus.warmUp(Duration.ZERO));
    }

    @Test
    void rejectsNegativeTime() {
        BusException refused =
                assertThrows(BusException.class, () -> Bus.warmUp(Duration.ofMillis(-1)));
        assertTrue(refused.getMessage().contains("pass zero or more"), refused.getMessage());
    }
}
