// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ArrivalsTest {
    private final Arrivals arrivals = new Arrivals(2);

    @Test
    void countsMessagesOfSeveralPublishersInOrder() {
        arrivals.onMessage(Arrivals.tag(0, 0), 32);
        arrivals.onMessage(Arrivals.tag(1, 0), 32);
        arrivals.onMessage(Arrivals.tag(1, 1), 32);
        arrivals.onMessage(Arrivals.tag(0, 1), 32);

        assertEquals(4, arrivals.count());
        assertEquals(128, arrivals.bytes());
    }

    @Test
    void failsPermanentlyWhenMessageIsMissing() {
        arrivals.onMessage(Arrivals.tag(1, 0), 32);

        assertThrows(IllegalStateException.class, () -> arrivals.onMessage(Arrivals.tag(1, 2), 32));
        assertThrows(IllegalStateException.class, arrivals::count);
    }

    @Test
    void failsWhenMessageIsRepeated() {
        arrivals.onMessage(Arrivals.tag(0, 0), 32);

        assertThrows(IllegalStateException.class, () -> arrivals.onMessage(Arrivals.tag(0, 0), 32));
    }

    @Test
    void failsOnUnknownPublisher() {
        assertThrows(IllegalStateException.class, () -> arrivals.onMessage(Arrivals.tag(2, 0), 32));
    }
}
