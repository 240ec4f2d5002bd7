// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * What a stream has carried.
 *
 * @param messages received, by each subscription.
 * @param bytes of them, headers not counted.
 * @param elapsedNs from the first send to the last arrival.
 * @param publisherAllocated bytes that the sending threads have allocated.
 * @param subscriberAllocated bytes that the receiving thread has allocated.
 * @param cpuNs processor time of all processes, their drivers and JVMs included.
 */
public record Throughput(
        long messages,
        long bytes,
        long elapsedNs,
        long publisherAllocated,
        long subscriberAllocated,
        long cpuNs) {
    /** Of a process that has both ends. */
    public static Throughput of(StreamPart part) {
        return new Throughput(
                part.messages(),
                part.bytes(),
                part.endNs() - part.startNs(),
                part.publisherAllocated(),
                part.subscriberAllocated(),
                part.cpuNs());
    }

    /** Of the processes at the two ends. */
    public static Throughput of(StreamPart source, StreamPart sink) {
        return new Throughput(
                sink.messages(),
                sink.bytes(),
                sink.endNs() - source.startNs(),
                source.publisherAllocated(),
                sink.subscriberAllocated(),
                source.cpuNs() + sink.cpuNs());
    }

    /** This and another part of the same work together. */
    public Throughput plus(Throughput other) {
        return new Throughput(
                messages + other.messages,
                bytes + other.bytes,
                elapsedNs + other.elapsedNs,
                publisherAllocated + other.publisherAllocated,
                subscriberAllocated + other.subscriberAllocated,
                cpuNs + other.cpuNs);
    }

    /** Messages a second. */
    public double messagesPerSecond() {
        return messages * 1e9 / elapsedNs;
    }

    /** Bytes a second, headers not counted. */
    public double bytesPerSecond() {
        return bytes * 1e9 / elapsedNs;
    }

    /** Processor time of a message in nanoseconds. */
    public double cpuNsPerMessage() {
        return (double) cpuNs / messages;
    }
}
