// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.security.SecureRandom;

/**
 * What a side asks the other to prove: the possession of a key, for this handshake alone.
 *
 * @param key that the side has; 0 for none. In an answer the one that is used.
 * @param otherKey that the side has, too; 0 for none.
 * @param nonceHigh first 8 bytes of a number that is random and used once.
 * @param nonceLow the other 8 bytes.
 */
public record Challenge(int key, int otherKey, long nonceHigh, long nonceLow) {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** The side asks for nothing. */
    public static final Challenge NONE = new Challenge(0, 0, 0, 0);

    /** A new one. */
    static Challenge of(int key, int otherKey) {
        return new Challenge(key, otherKey, RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Whether the side asks for nothing. */
    public boolean isNone() {
        return key == 0;
    }
}
