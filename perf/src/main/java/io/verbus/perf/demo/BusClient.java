// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import org.agrona.DirectBuffer;

import java.util.concurrent.TimeUnit;

/** Client of a driver, as used by the demo's publisher and subscriber. Used by one thread. */
public interface BusClient extends AutoCloseable {
    /**
     * Time to wait for the driver, whose process starts at the same time. Long, because emulated
     * processors start slowly.
     */
    long DRIVER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(120);

    /** Result of an offer. */
    enum Offered {
        /** The message was sent. */
        SENT,
        /** The message cannot be sent now; retry. */
        AGAIN,
        /** The stream was lost. */
        LOST
    }

    /** Published stream. */
    interface Outgoing extends AutoCloseable {
        /** Returns whether a subscriber is connected. */
        boolean isConnected();

        /** Offers the message at offset 0 of the buffer. */
        Offered offer(DirectBuffer buffer, int length);

        /** Returns the position of the publication. */
        long position();

        @Override
        void close();
    }

    /** Subscribed stream of one publisher. */
    interface Incoming extends AutoCloseable {
        /** Returns whether a publisher has connected. */
        boolean hasBegun();

        /**
         * Polls the stream.
         *
         * @param limit maximum number of fragments.
         * @return number of fragments.
         */
        int poll(int limit);

        /** Returns whether the stream was read to its end, or was lost. */
        boolean hasEnded();

        @Override
        void close();
    }

    /** Receives assembled messages. */
    @FunctionalInterface
    interface MessageHandler {
        /** Handles a message. */
        void onMessage(DirectBuffer buffer, int offset, int length);
    }

    /** Adds an exclusive publication. */
    Outgoing publish(String channel, int streamId);

    /** Adds a subscription. */
    Incoming subscribe(String channel, int streamId, MessageHandler handler);

    @Override
    void close();
}
