// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import org.agrona.DirectBuffer;

import java.util.concurrent.TimeUnit;

/** A client of a driver, as the demo's publisher and subscriber use it. One thread. */
public interface BusClient extends AutoCloseable {
    /**
     * For how long a client waits for its driver, whose process starts at the same time: slowly,
     * where the processor is emulated.
     */
    long DRIVER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(120);

    /** Connects to a driver. */
    @FunctionalInterface
    interface Connector {
        /**
         * Connects.
         *
         * @param directory of the driver.
         */
        BusClient connect(String directory);
    }

    /** What became of a message that was offered. */
    enum Offered {
        /** It is sent. */
        SENT,
        /** It cannot be sent now: offer it again. */
        AGAIN,
        /** The stream is lost. */
        LOST
    }

    /** A stream that this client publishes. */
    interface Outgoing extends AutoCloseable {
        /** Whether a subscriber receives it. */
        boolean isConnected();

        /** Offers a message, which begins at the buffer's offset 0. */
        Offered offer(DirectBuffer buffer, int length);

        /** Bytes that were sent, in the units of a log. */
        long position();

        @Override
        void close();
    }

    /** A stream that this client subscribes to, of one publisher. */
    interface Incoming extends AutoCloseable {
        /** Whether a publisher has connected. */
        boolean hasBegun();

        /**
         * Takes what has arrived since.
         *
         * @param limit of the fragments taken.
         * @return how many were.
         */
        int poll(int limit);

        /** Whether all of it is read, or no more will come. */
        boolean hasEnded();

        @Override
        void close();
    }

    /** Takes whole messages. */
    @FunctionalInterface
    interface MessageHandler {
        /** A message arrived. */
        void onMessage(DirectBuffer buffer, int offset, int length);
    }

    /** Adds an exclusive publication. */
    Outgoing publish(String channel, int streamId);

    /** Adds a subscription. */
    Incoming subscribe(String channel, int streamId, MessageHandler handler);

    @Override
    void close();
}
