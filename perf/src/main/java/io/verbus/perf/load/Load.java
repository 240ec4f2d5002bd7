// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.util.Locale;

/**
 * How messages follow each other.
 *
 * @param kind round trips, a stream one way, or recordings.
 * @param rate messages a second, or {@link #MAX}.
 * @param burst round trips at a rate: messages due at the same time. A stream: messages between two
 *     turns of whatever else the sending thread drives.
 * @param publishers threads that send a stream; they share a concurrent publication if there are
 *     several.
 * @param subscribers subscriptions that each receive the whole of a stream.
 * @param publications that send.
 * @param polling of the end that reflects.
 */
public record Load(
        Kind kind,
        long rate,
        int burst,
        int publishers,
        int subscribers,
        Publications publications,
        Polling polling) {
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
        STREAM,
        /** An archive records them as they come, and then replays them. */
        RECORDINGS
    }

    /** Kinds of publications. */
    public enum Publications {
        /** Each of one thread. */
        EXCLUSIVE,
        /** Of several threads, also where one uses it. */
        CONCURRENT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How the end that reflects polls. */
    public enum Polling {
        /** An echo that cannot be sent aborts the poll, which delivers its message again. */
        CONTROLLED,
        /** The handler offers an echo until it is sent. */
        PLAIN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Round trips at a rate, or one at a time. */
    public static Load roundTrips(long rate, int burst) {
        return new Load(
                Kind.ROUND_TRIPS, rate, burst, 1, 1, Publications.EXCLUSIVE, Polling.CONTROLLED);
    }

    /** A stream to saturation. */
    public static Load stream(int burst, int publishers, int subscribers) {
        return new Load(
                Kind.STREAM,
                MAX,
                burst,
                publishers,
                subscribers,
                publishers == 1 ? Publications.EXCLUSIVE : Publications.CONCURRENT,
                Polling.CONTROLLED);
    }

    /** Recordings of streams to saturation, and their replays. */
    public static Load recordings() {
        return new Load(Kind.RECORDINGS, MAX, 1, 1, 1, Publications.EXCLUSIVE, Polling.CONTROLLED);
    }

    /** The same at another rate. */
    public Load atRate(long rate) {
        return new Load(kind, rate, burst, publishers, subscribers, publications, polling);
    }

    /** The same with publications of a kind. */
    public Load with(Publications publications) {
        return new Load(kind, rate, burst, publishers, subscribers, publications, polling);
    }

    /** The same with another way to poll. */
    public Load with(Polling polling) {
        return new Load(kind, rate, burst, publishers, subscribers, publications, polling);
    }

    /** Whether messages go one way. */
    public boolean isStream() {
        return kind == Kind.STREAM;
    }
}
