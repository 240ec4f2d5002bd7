// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.util.Locale;

/**
 * Pattern in which messages are sent.
 *
 * @param kind round trips, a one-way stream, or recordings.
 * @param rate messages per second, or {@link #MAX}.
 * @param burst for round trips at a rate, the number of messages due at the same time; for a
 *     stream, the number of messages between two duty cycles of the agents that the sending thread
 *     invokes.
 * @param publishers number of threads that send a stream; several share a concurrent publication.
 * @param subscribers number of subscriptions that each receive the whole stream.
 * @param publications type of the publications.
 * @param polling polling mode of the reflecting end.
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
     * Unlimited rate: round trips send each message when the previous echo arrives, and a stream is
     * sent as fast as possible.
     */
    public static final long MAX = 0;

    /** Kind of traffic. */
    public enum Kind {
        /** Messages are sent back. */
        ROUND_TRIPS,
        /** Messages go one way. */
        STREAM,
        /** An archive records messages, and replays them afterwards. */
        RECORDINGS
    }

    /** Publication type. */
    public enum Publications {
        /** Each publication is used by one thread. */
        EXCLUSIVE,
        /** A publication can be shared by threads, even if only one uses it. */
        CONCURRENT;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Polling mode of the reflecting end. */
    public enum Polling {
        /** Aborts the poll if an echo cannot be sent; the message is delivered again. */
        CONTROLLED,
        /** The handler retries the offer until the echo is sent. */
        PLAIN;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns round trips at a rate, or one at a time. */
    public static Load roundTrips(long rate, int burst) {
        return new Load(
                Kind.ROUND_TRIPS, rate, burst, 1, 1, Publications.EXCLUSIVE, Polling.CONTROLLED);
    }

    /** Returns a stream at full speed. */
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

    /** Returns recordings of streams at full speed, and their replays. */
    public static Load recordings() {
        return new Load(Kind.RECORDINGS, MAX, 1, 1, 1, Publications.EXCLUSIVE, Polling.CONTROLLED);
    }

    /** Returns the same load at another rate. */
    public Load atRate(long rate) {
        return new Load(kind, rate, burst, publishers, subscribers, publications, polling);
    }

    /** Returns the same load with another publication type. */
    public Load with(Publications publications) {
        return new Load(kind, rate, burst, publishers, subscribers, publications, polling);
    }

    /** Returns the same load with another polling mode. */
    public Load with(Polling polling) {
        return new Load(kind, rate, burst, publishers, subscribers, publications, polling);
    }

    /** Returns whether the load is a one-way stream. */
    public boolean isStream() {
        return kind == Kind.STREAM;
    }
}
