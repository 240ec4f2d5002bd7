// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.auth;

import java.nio.ByteBuffer;

/**
 * A message authentication code (HMAC-SHA256) of a handshake, which only who has the key can tell.
 *
 * @param first 8 bytes, as a big-endian number.
 * @param second 8 bytes.
 * @param third 8 bytes.
 * @param fourth 8 bytes.
 */
public record Proof(long first, long second, long third, long fourth) {
    /** None at all. */
    public static final Proof NONE = new Proof(0, 0, 0, 0);

    static Proof of(byte[] code) {
        ByteBuffer bytes = ByteBuffer.wrap(code);
        return new Proof(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }

    /** Whether it is the same, in a time that tells nothing of where it differs. */
    public boolean isSame(Proof other) {
        return ((first ^ other.first)
                        | (second ^ other.second)
                        | (third ^ other.third)
                        | (fourth ^ other.fourth))
                == 0;
    }

    /** Whether the first half is the same, where there is no room for more; as {@link #isSame}. */
    public boolean isHalf(long otherFirst, long otherSecond) {
        return ((first ^ otherFirst) | (second ^ otherSecond)) == 0;
    }

    /** Says nothing of the value. */
    @Override
    public String toString() {
        return "a proof";
    }
}
