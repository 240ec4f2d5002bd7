// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.nio.ByteBuffer;

/**
 * A message authentication code (HMAC-SHA256) of a handshake, which only a holder of the key can
 * compute.
 *
 * @param first bytes 0 to 7 as a big-endian number.
 * @param second bytes 8 to 15.
 * @param third bytes 16 to 23.
 * @param fourth bytes 24 to 31.
 */
public record Proof(long first, long second, long third, long fourth) {
    /** No proof. */
    public static final Proof NONE = new Proof(0, 0, 0, 0);

    static Proof of(byte[] code) {
        ByteBuffer bytes = ByteBuffer.wrap(code);
        return new Proof(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }

    /** Returns whether another proof is the same; takes constant time. */
    public boolean isSame(Proof other) {
        return ((first ^ other.first)
                        | (second ^ other.second)
                        | (third ^ other.third)
                        | (fourth ^ other.fourth))
                == 0;
    }

    /**
     * Returns whether the first half is the same, for messages without room for more; takes
     * constant time.
     */
    public boolean isHalf(long otherFirst, long otherSecond) {
        return ((first ^ otherFirst) | (second ^ otherSecond)) == 0;
    }

    /** Does not reveal the value. */
    @Override
    public String toString() {
        return "a proof";
    }
}
