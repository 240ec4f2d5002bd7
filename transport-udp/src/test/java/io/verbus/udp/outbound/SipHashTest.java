// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SipHashTest {
    /** Key and messages are bytes counting from 0, as in the reference vectors. */
    private final SipHash hash = new SipHash(0x0706050403020100L, 0x0F0E0D0C0B0A0908L);

    @Test
    void matchesReferenceVectors() {
        hash.begin();
        assertEquals(0x726FDB47DD0E0E31L, hash.end());
        hash.begin();
        hash.add(0x0706050403020100L);
        assertEquals(0x93F5F5799A932462L, hash.end());
        hash.begin();
        hash.add(0x0706050403020100L);
        hash.add(0x0F0E0D0C0B0A0908L);
        assertEquals(0x3F2ACC7F57C29BDBL, hash.end());
    }
}
