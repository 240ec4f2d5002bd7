// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;

/** An image as its transport sees it. The driver makes it in {@link TransportHost#onSetup}. */
public interface InboundImage {
    /** Unique in the driver. */
    long imageId();

    /** Channel of the subscription that the image was made for. */
    ChannelUri channel();

    /**
     * Where the peer's log is replicated to. Mapped until {@link TransportHost#onImageReleased}.
     */
    LogBuffers log();

    /**
     * Position up to which every subscriber has consumed the image. Any thread; written by the
     * subscribers with release, read here with acquire. Never less than what was granted; less than
     * before only where a subscriber joins.
     */
    long consumedPosition();

    /**
     * Takes note how far credit is granted, before the peer is told. Receiver's thread.
     *
     * <p>A subscriber that joins counts first, at the minimum of all positions, and then looks at
     * what was noted here, and joins no earlier. So either it is found by this call, or it joins
     * where the peer writes over nothing that it has not read.
     *
     * @param position up to which all subscribers have consumed the image.
     * @return whether that is so yet; otherwise the peer must not be told.
     */
    boolean grant(long position);

    /**
     * Takes note how far the peer may be ahead of what is consumed. Any thread, one at a time.
     *
     * @param bytes that are granted.
     */
    void window(int bytes);

    /**
     * Takes note up to where anything of the stream has arrived, for operators. Receiver's thread;
     * a transport that leaves no gaps need not say it.
     *
     * @param position behind the last frame that has arrived.
     */
    void arrived(long position);

    /** Counts a NAK that has gone out. Receiver's thread. */
    void onNak();
}
