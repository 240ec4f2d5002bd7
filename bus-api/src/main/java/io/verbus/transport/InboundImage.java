// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;

/** An image as its transport sees it. The driver creates it in {@link TransportHost#onSetup}. */
public interface InboundImage {
    /** Returns the id, unique in the driver. */
    long imageId();

    /** Returns the channel of the subscription for which the image was created. */
    ChannelUri channel();

    /**
     * Returns the log to replicate the peer's log into. Mapped until {@link
     * TransportHost#onImageReleased}.
     */
    LogBuffers log();

    /**
     * Returns the position up to which all subscribers have consumed the image. Written by the
     * subscribers with release, read here with acquire. Never less than the granted position;
     * decreases only when a subscriber joins. Thread-safe.
     */
    long consumedPosition();

    /**
     * Records the position to be granted as credit, before it is sent to the peer. Called on the
     * receiver's thread.
     *
     * <p>A joining subscriber is counted first, at the minimum of all positions; it then reads the
     * position recorded here, and joins no earlier. So either this call sees the subscriber, or the
     * subscriber joins where the peer overwrites nothing that it has not read.
     *
     * @param position position up to which all subscribers have consumed the image.
     * @return false if that is no longer true, in which case the credit must not be sent.
     */
    boolean grant(long position);

    /**
     * Records how far the peer may be ahead of the consumed position. Must be called by one thread
     * at a time.
     *
     * @param bytes granted number of bytes.
     */
    void window(int bytes);

    /**
     * Records the highest position at which data of the stream has arrived, for operators. Optional
     * for a transport that leaves no gaps. Called on the receiver's thread.
     *
     * @param position position after the highest frame that has arrived.
     */
    void arrived(long position);

    /** Counts a NAK sent. Called on the receiver's thread. */
    void onNak();
}
