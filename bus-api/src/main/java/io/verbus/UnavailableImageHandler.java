// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** Handles images that leave a subscription. */
@FunctionalInterface
public interface UnavailableImageHandler {
    /**
     * Called on the client conductor's thread, exactly once for each image that was reported as
     * available. The image keeps its last position. Must not block, and must not add publications
     * or subscriptions.
     *
     * @param image image that became unavailable because its stream ended, its publisher was lost,
     *     it contained an invalid frame, or the subscription or the bus was closed.
     */
    void onUnavailableImage(Image image);
}
