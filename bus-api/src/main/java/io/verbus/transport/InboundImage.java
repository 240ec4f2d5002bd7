// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.logbuffer.LogBuffers;

/** An image as its transport sees it. The driver makes it in {@link TransportHost#onSetup}. */
public interface InboundImage {
    /** Unique in the driver. */
    long imageId();

    /**
     * Where the peer's log is replicated to. Mapped until {@link TransportHost#onImageReleased}.
     */
    LogBuffers log();

    /**
     * Position up to which every subscriber has consumed the image. Any thread; written by the
     * subscribers with release, read here with acquire; never goes back.
     */
    long consumedPosition();

    /**
     * Records for the operator how far credit was granted. Receiver's thread.
     *
     * @param position that was sent as consumed.
     */
    void grantedPosition(long position);
}
