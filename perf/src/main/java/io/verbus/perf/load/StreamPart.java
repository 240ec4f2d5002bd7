// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * What one process has done for a stream. Times are of its host's monotonic clock, which all
 * processes there share.
 *
 * @param startNs when it began to send; of no meaning where it only receives.
 * @param endNs when the last message had arrived; of no meaning where it only sends.
 * @param messages received, by each subscription.
 * @param bytes received, by each subscription.
 * @param publisherAllocated bytes that the sending threads have allocated.
 * @param subscriberAllocated bytes that the receiving thread has allocated.
 * @param cpuNs processor time of the whole process.
 */
public record StreamPart(
        long startNs,
        long endNs,
        long messages,
        long bytes,
        long publisherAllocated,
        long subscriberAllocated,
        long cpuNs) {
    /** The same on a clock that is so many nanoseconds behind the one of its times. */
    public StreamPart onClockBehind(long aheadNs) {
        return new StreamPart(
                startNs - aheadNs,
                endNs - aheadNs,
                messages,
                bytes,
                publisherAllocated,
                subscriberAllocated,
                cpuNs);
    }

    /** One line from which {@link #parse} makes an equal part. */
    public String encode() {
        return LongStream.of(
                        startNs,
                        endNs,
                        messages,
                        bytes,
                        publisherAllocated,
                        subscriberAllocated,
                        cpuNs)
                .mapToObj(Long::toString)
                .collect(Collectors.joining(" "));
    }

    /**
     * Reads what {@link #encode()} wrote.
     *
     * @throws IllegalArgumentException if it is something else.
     */
    public static StreamPart parse(String line) {
        String[] words = line.split(" ");
        if (words.length != 7) {
            throw new IllegalArgumentException("not a part of a stream: " + line);
        }
        long[] values = Arrays.stream(words).mapToLong(Long::parseLong).toArray();
        return new StreamPart(
                values[0], values[1], values[2], values[3], values[4], values[5], values[6]);
    }
}
