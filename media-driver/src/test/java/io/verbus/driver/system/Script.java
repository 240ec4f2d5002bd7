// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.SplittableRandom;

/**
 * Content of a publisher's messages: length and bytes follow from the script and the message's
 * number, which is sent as the reserved value of the frame, so a reader can check each byte.
 */
final class Script {
    /** With random lengths, one in this many messages is of the longest. */
    private static final int LONGEST_EVERY = 1000;

    private final long seed;
    private final int minLength;
    private final int maxLength;
    private final int scales;
    private final int starts;
    private final UnsafeBuffer text;

    private Script(long seed, int minLength, int maxLength) {
        this.seed = seed;
        this.minLength = minLength;
        this.maxLength = maxLength;
        this.scales = 32 - Integer.numberOfLeadingZeros(maxLength);
        this.starts = Integer.highestOneBit(Math.max(1024, maxLength / Long.BYTES));
        byte[] bytes = new byte[starts * Long.BYTES + maxLength];
        new SplittableRandom(seed).nextBytes(bytes);
        this.text = new UnsafeBuffer(bytes);
    }

    /** All messages of one length. */
    static Script of(long seed, int length) {
        return new Script(seed, length, length);
    }

    /** Lengths from 0 to the longest, distributed evenly over powers of two. */
    static Script upTo(long seed, int maxLength) {
        return new Script(seed, 0, maxLength);
    }

    UnsafeBuffer text() {
        return text;
    }

    /** Offset of the message in the text. */
    int offset(long number) {
        return (int) (mix(number) & (starts - 1)) * Long.BYTES;
    }

    int length(long number) {
        if (minLength == maxLength || number % LONGEST_EVERY == LONGEST_EVERY - 1) {
            return maxLength;
        }
        long random = mix(~number);
        int scale = (int) ((random >>> 32) % scales);
        return Math.min(maxLength, (int) (random & ((2L << scale) - 1)));
    }

    private long mix(long number) {
        long z = seed + number * 0x9E37_79B9_7F4A_7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return z ^ (z >>> 31);
    }
}
