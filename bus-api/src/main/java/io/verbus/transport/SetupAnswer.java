// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/**
 * The driver's answer to a stream that a peer offers, which takes a while because the image must be
 * created. One of the methods is called, once. Conductor's thread only.
 */
public interface SetupAnswer {
    /**
     * The image is created and announced to its subscribers.
     *
     * @param image image to fill; if the peer has gone meanwhile, end it with {@link
     *     TransportHost#onImageLost}.
     */
    void onImage(InboundImage image);

    /** The stream no longer has a subscription. */
    void onUnwanted();

    /**
     * The image cannot be created.
     *
     * @param reason cause and remedy, for the peer.
     */
    void onFailed(String reason);
}
