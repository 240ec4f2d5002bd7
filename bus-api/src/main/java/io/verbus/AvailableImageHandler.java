// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** Handles images that join a subscription. */
@FunctionalInterface
public interface AvailableImageHandler {
    /**
     * Called on the client conductor's thread, before the image is first polled. Must not block,
     * and must not add publications or subscriptions.
     *
     * @param image image that has become available.
     */
    void onAvailableImage(Image image);
}
