// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.security.SecureRandom;

/**
 * A side's challenge to the other to prove that it has a key, valid for one handshake.
 *
 * @param key number of a key that the side has; 0 for none. In an answer, the key in use.
 * @param otherKey number of another key that the side has; 0 for none.
 * @param nonceHigh first 8 bytes of a random number that is used once.
 * @param nonceLow last 8 bytes.
 */
public record Challenge(int key, int otherKey, long nonceHigh, long nonceLow) {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** No challenge. */
    public static final Challenge NONE = new Challenge(0, 0, 0, 0);

    /** Creates a challenge with a new random number. */
    static Challenge of(int key, int otherKey) {
        return new Challenge(key, otherKey, RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Returns whether no proof is requested. */
    public boolean isNone() {
        return key == 0;
    }
}
