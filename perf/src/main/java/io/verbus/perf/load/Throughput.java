// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * Result of a stream.
 *
 * @param messages number of messages received by each subscription.
 * @param bytes total length of these messages without headers.
 * @param elapsedNs time from the first send to the last arrival.
 * @param publisherAllocated bytes allocated by the sending threads.
 * @param subscriberAllocated bytes allocated by the receiving thread.
 * @param cpuNs processor time of all processes, including drivers and JVMs.
 */
public record Throughput(
        long messages,
        long bytes,
        long elapsedNs,
        long publisherAllocated,
        long subscriberAllocated,
        long cpuNs) {
    /** Creates the result of a single process with both ends. */
    public static Throughput of(StreamPart part) {
        return new Throughput(
                part.messages(),
                part.bytes(),
                part.endNs() - part.startNs(),
                part.publisherAllocated(),
                part.subscriberAllocated(),
                part.cpuNs());
    }

    /** Combines the results of the processes at the two ends. */
    public static Throughput of(StreamPart source, StreamPart sink) {
        return new Throughput(
                sink.messages(),
                sink.bytes(),
                sink.endNs() - source.startNs(),
                source.publisherAllocated(),
                sink.subscriberAllocated(),
                source.cpuNs() + sink.cpuNs());
    }

    /** Combines this result with another part of the same work. */
    public Throughput plus(Throughput other) {
        return new Throughput(
                messages + other.messages,
                bytes + other.bytes,
                elapsedNs + other.elapsedNs,
                publisherAllocated + other.publisherAllocated,
                subscriberAllocated + other.subscriberAllocated,
                cpuNs + other.cpuNs);
    }

    /** Returns the messages per second. */
    public double messagesPerSecond() {
        return messages * 1e9 / elapsedNs;
    }

    /** Returns the number of bytes per second, without headers. */
    public double bytesPerSecond() {
        return bytes * 1e9 / elapsedNs;
    }

    /** Returns the processor time per message in nanoseconds. */
    public double cpuNsPerMessage() {
        return (double) cpuNs / messages;
    }
}
