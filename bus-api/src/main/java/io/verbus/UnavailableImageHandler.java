// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** Told when an image leaves a subscription. */
@FunctionalInterface
public interface UnavailableImageHandler {
    /**
     * Called on the client conductor's thread, once for each image that became available. The image
     * keeps its last position. Must not block, and must not add publications or subscriptions.
     *
     * @param image that has left: at its end, because its publisher is lost, because a frame in it
     *     was invalid, or because the subscription or the bus was closed.
     */
    void onUnavailableImage(Image image);
}
