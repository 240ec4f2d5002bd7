// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * What recordings and their replays took.
 *
 * @param messages of them.
 * @param bytes of the messages, headers not counted.
 * @param recordNs from the first send until the archive tells that all is recorded.
 * @param replayNs from the request for a replay to the last arrival.
 */
public record Recording(long messages, long bytes, long recordNs, long replayNs) {
    /** This and another part of the same work together. */
    public Recording plus(Recording other) {
        return new Recording(
                messages + other.messages,
                bytes + other.bytes,
                recordNs + other.recordNs,
                replayNs + other.replayNs);
    }

    /** Messages a second that are recorded. */
    public double recordedPerSecond() {
        return messages * 1e9 / recordNs;
    }

    /** Messages a second that are replayed. */
    public double replayedPerSecond() {
        return messages * 1e9 / replayNs;
    }

    /** One line from which {@link #parse} makes an equal recording. */
    public String encode() {
        return messages + " " + bytes + " " + recordNs + " " + replayNs;
    }

    /**
     * Reads what {@link #encode()} wrote.
     *
     * @throws IllegalArgumentException if it is something else.
     */
    public static Recording parse(String line) {
        String[] parts = line.split(" ");
        if (parts.length != 4) {
            throw new IllegalArgumentException("not a recording: " + line);
        }
        return new Recording(
                Long.parseLong(parts[0]),
                Long.parseLong(parts[1]),
                Long.parseLong(parts[2]),
                Long.parseLong(parts[3]));
    }
}
