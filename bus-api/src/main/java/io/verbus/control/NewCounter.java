// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.nio.charset.StandardCharsets;

/**
 * A counter for a client to add. Holds copies of key and label.
 *
 * @param typeId type of the counter, which the application chooses.
 * @param key key, which distinguishes counters of one type.
 * @param label human-readable label in ASCII.
 */
public record NewCounter(int typeId, DirectBuffer key, DirectBuffer label) {
    /**
     * Creates a counter without a key.
     *
     * @throws IllegalArgumentException if the label is too long.
     */
    public static NewCounter of(int typeId, String label) {
        byte[] text = label.getBytes(StandardCharsets.US_ASCII);
        return of(typeId, null, 0, 0, new UnsafeBuffer(text), 0, text.length);
    }

    /**
     * Creates a counter with a key.
     *
     * @throws IllegalArgumentException if the key or the label is too long.
     * @throws IndexOutOfBoundsException if a buffer does not contain its part.
     */
    public static NewCounter of(
            int typeId,
            DirectBuffer key,
            int keyOffset,
            int keyLength,
            DirectBuffer label,
            int labelOffset,
            int labelLength) {
        check("key", keyLength, CountersReader.MAX_KEY_LENGTH);
        check("label", labelLength, CountersReader.MAX_LABEL_LENGTH);
        return new NewCounter(
                typeId, copy(key, keyOffset, keyLength), copy(label, labelOffset, labelLength));
    }

    private static void check(String what, int length, int most) {
        if (length < 0 || length > most) {
            throw new IllegalArgumentException(
                    "the counter's "
                            + what
                            + " must have between 0 and "
                            + most
                            + " bytes, but has "
                            + length
                            + ": pass a shorter "
                            + what);
        }
    }

    private static DirectBuffer copy(DirectBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        if (length > 0) {
            buffer.getBytes(offset, bytes);
        }
        return new UnsafeBuffer(bytes);
    }
}
