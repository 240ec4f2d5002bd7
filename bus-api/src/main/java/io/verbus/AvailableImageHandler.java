// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** Told when an image joins a subscription. */
@FunctionalInterface
public interface AvailableImageHandler {
    /**
     * Called on the client conductor's thread, before the image is polled for the first time. Must
     * not block, and must not add publications or subscriptions.
     *
     * @param image that has joined.
     */
    void onAvailableImage(Image image);
}
