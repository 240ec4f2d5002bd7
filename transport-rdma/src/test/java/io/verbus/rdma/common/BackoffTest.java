// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BackoffTest {
    private final Backoff backoff = new Backoff(10, 35);

    @Test
    void doublesWaitUpToMaximum() {
        assertEquals(10, backoff.next());
        assertEquals(20, backoff.next());
        assertEquals(35, backoff.next());
        assertEquals(35, backoff.next());
    }

    @Test
    void startsOverAfterReset() {
        backoff.next();
        backoff.next();
        backoff.reset();
        assertEquals(10, backoff.next());
        assertEquals(20, backoff.next());
    }
}
