// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * Result of recordings and their replays.
 *
 * @param messages number of messages.
 * @param bytes total length of the messages without headers.
 * @param recordNs time from the first send until the archive reports that all is recorded.
 * @param replayNs time from the replay request to the last arrival.
 */
public record Recording(long messages, long bytes, long recordNs, long replayNs) {
    /** Combines this result with another part of the same work. */
    public Recording plus(Recording other) {
        return new Recording(
                messages + other.messages,
                bytes + other.bytes,
                recordNs + other.recordNs,
                replayNs + other.replayNs);
    }

    /** Returns the messages recorded per second. */
    public double recordedPerSecond() {
        return messages * 1e9 / recordNs;
    }

    /** Returns the messages replayed per second. */
    public double replayedPerSecond() {
        return messages * 1e9 / replayNs;
    }

    /** Encodes the result as one line for {@link #parse}. */
    public String encode() {
        return messages + " " + bytes + " " + recordNs + " " + replayNs;
    }

    /**
     * Parses the output of {@link #encode()}.
     *
     * @throws IllegalArgumentException if the line is malformed.
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
