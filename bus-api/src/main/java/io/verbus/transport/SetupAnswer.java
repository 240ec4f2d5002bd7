// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/**
 * What becomes of a stream that a peer offers: its image takes a while to make. One of the methods
 * is called, once. Conductor's thread.
 */
public interface SetupAnswer {
    /**
     * The image is made and announced to its subscribers.
     *
     * @param image to fill; to be closed with {@link TransportHost#onImageLost} where the peer has
     *     gone meanwhile.
     */
    void onImage(InboundImage image);

    /** The stream has no subscription any more. */
    void onUnwanted();

    /**
     * The image cannot be made.
     *
     * @param reason for the peer, with a remedy.
     */
    void onFailed(String reason);
}
