// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

class StallsTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final WorkerProtocol protocol =
            new WorkerProtocol(
                    InputStream.nullInputStream(),
                    new PrintStream(out, true, StandardCharsets.UTF_8));

    @Test
    void mergesOverlappingRoundTripsAboveThreshold() {
        Stalls stalls = new Stalls(200, 10);
        stalls.take(1000, 500);
        stalls.take(1100, 200);
        stalls.take(1200, 250);
        stalls.take(1500, 201);
        stalls.take(1702, 300);
        assertEquals(List.of("stall 1000 1701 3", "stall 1702 2002 1"), told(stalls));
        assertEquals(List.of(), told(stalls), "cleared");
    }

    @Test
    void countsStallsBeyondCapacity() {
        Stalls stalls = new Stalls(0, 1);
        for (int i = 0; i < 4; i++) {
            stalls.take(100 * i, 50);
            stalls.take(100 * i + 10, 50);
        }
        assertEquals(List.of("stall 0 60 2", "unlisted 3 6"), told(stalls));
    }

    @Test
    void recordsManyDelayedMessagesAsOneStall() {
        Stalls stalls = new Stalls(0, 1);
        for (int i = 0; i < 1_000_000; i++) {
            stalls.take(i, 1_000_000 - i);
        }
        assertEquals(List.of("stall 0 1000000 1000000"), told(stalls));
    }

    private List<String> told(Stalls stalls) {
        out.reset();
        stalls.tell(protocol);
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
