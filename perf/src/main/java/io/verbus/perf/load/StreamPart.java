// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * One process's share of the result of a stream. Times are those of the host's monotonic clock,
 * which all processes on the host share.
 *
 * @param startNs time at which the process began to send; meaningless if it only receives.
 * @param endNs time at which the last message arrived; meaningless if it only sends.
 * @param messages number of messages received by each subscription.
 * @param bytes number of bytes received by each subscription.
 * @param publisherAllocated bytes allocated by the sending threads.
 * @param subscriberAllocated bytes allocated by the receiving thread.
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
    /** Converts the times to a clock that is {@code aheadNs} nanoseconds behind. */
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

    /** Encodes the part as one line for {@link #parse}. */
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
     * Parses the output of {@link #encode()}.
     *
     * @throws IllegalArgumentException if the line is malformed.
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
