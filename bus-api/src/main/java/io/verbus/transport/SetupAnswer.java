// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/**
 * The driver's answer to a stream that a peer offers, which takes a while because the image must be
 * created. Exactly one of the methods is called, once. Used by the conductor's thread only.
 */
public interface SetupAnswer {
    /**
     * Called when the image is created and announced to its subscribers.
     *
     * @param image image to fill; if the peer has gone in the meantime, end it with {@link
     *     TransportHost#onImageLost}.
     */
    void onImage(InboundImage image);

    /** Called when the stream no longer has a subscription. */
    void onUnwanted();

    /**
     * Called when the image cannot be created.
     *
     * @param reason cause and remedy, for the peer.
     */
    void onFailed(String reason);
}
