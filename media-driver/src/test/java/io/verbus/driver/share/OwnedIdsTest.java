// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.share;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

class OwnedIdsTest {
    private final OwnedIds ids = new OwnedIds();

    @Test
    void returnsOnlyIdsOfClientInAscendingOrder() {
        for (long id : new long[] {30, 10, 20}) {
            ids.add(1, id);
        }
        ids.add(2, 15);
        assertArrayEquals(new long[] {10, 20, 30}, ids.of(1));
        assertArrayEquals(new long[] {15}, ids.of(2));
        assertArrayEquals(new long[] {}, ids.of(3));
    }

    @Test
    void forgetsRemovedIds() {
        ids.add(1, 10);
        ids.add(1, 20);
        ids.remove(1, 10);
        ids.remove(1, 99);
        ids.remove(2, 20);
        assertArrayEquals(new long[] {20}, ids.of(1));
        ids.remove(1, 20);
        assertArrayEquals(new long[] {}, ids.of(1));
    }
}
