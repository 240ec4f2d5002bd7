// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

/**
 * SipHash-2-4 of 64-bit words: a short keyed hash, unpredictable without the key. Allocates
 * nothing. Used by one thread.
 *
 * @see <a href="https://www.aumasson.jp/siphash/siphash.pdf">SipHash: a fast short-input PRF</a>
 */
final class SipHash {
    private final long key0;
    private final long key1;
    private long v0;
    private long v1;
    private long v2;
    private long v3;
    private long words;

    /**
     * @param key0 first half of the key.
     * @param key1 second half of the key.
     */
    SipHash(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
    }

    /** Starts a hash. */
    void begin() {
        v0 = key0 ^ 0x736f6d6570736575L;
        v1 = key1 ^ 0x646f72616e646f6dL;
        v2 = key0 ^ 0x6c7967656e657261L;
        v3 = key1 ^ 0x7465646279746573L;
        words = 0;
    }

    /** Adds a word, as its bytes in little-endian order. */
    void add(long word) {
        compress(word);
        words++;
    }

    /** Finishes the hash, and returns it. */
    long end() {
        compress(words * Long.BYTES << 56);
        v2 ^= 0xFF;
        for (int i = 0; i < 4; i++) {
            round();
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void compress(long word) {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }

    private void round() {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
    }
}
