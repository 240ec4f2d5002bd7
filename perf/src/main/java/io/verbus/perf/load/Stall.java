// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * Round trips longer than a threshold that overlap each other.
 *
 * @param startNs monotonic time at which the first message was due.
 * @param endNs monotonic time at which the last echo arrived.
 * @param messages number of these round trips.
 */
public record Stall(long startNs, long endNs, long messages) {
    /** Parses a worker's output: the three numbers. */
    public static Stall parse(String text) {
        String[] numbers = text.split(" ");
        return new Stall(
                Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
    }

    /** Encodes the stall for {@link #parse}. */
    String encode() {
        return startNs + " " + endNs + " " + messages;
    }
}
