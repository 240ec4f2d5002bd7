// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/**
 * How messages follow each other.
 *
 * @param kind round trips, or a stream one way.
 * @param rate messages a second, or {@link #MAX}.
 * @param burst round trips at a rate: messages due at the same time. A stream: messages between two
 *     turns of whatever else the sending thread drives.
 * @param publishers threads that send a stream; they share a concurrent publication if there are
 *     several.
 * @param subscribers subscriptions that each receive the whole of a stream.
 */
public record Load(Kind kind, long rate, int burst, int publishers, int subscribers) {
    /**
     * Round trips: a message is sent when the echo of the one before has arrived. A stream: as fast
     * as it goes.
     */
    public static final long MAX = 0;

    /** What messages do. */
    public enum Kind {
        /** They are sent back. */
        ROUND_TRIPS,
        /** They go one way. */
        STREAM
    }

    /** Round trips at a rate, or one at a time. */
    public static Load roundTrips(long rate, int burst) {
        return new Load(Kind.ROUND_TRIPS, rate, burst, 1, 1);
    }

    /** A stream to saturation. */
    public static Load stream(int burst, int publishers, int subscribers) {
        return new Load(Kind.STREAM, MAX, burst, publishers, subscribers);
    }

    /** Whether messages go one way. */
    public boolean isStream() {
        return kind == Kind.STREAM;
    }
}
