// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.logbuffer.LogLayout;

import java.util.HashMap;
import java.util.Map;

/**
 * Bytes of the images' logs, by the host whose drivers offered them, from the offer to the release:
 * a host that offers ever more streams, or ever longer terms, must not use up the memory of this
 * one. Conductor's thread.
 */
final class ImageMemory {
    private final long most;
    private final Map<String, Long> byHost = new HashMap<>();

    /** What one image takes. */
    record Share(String host, long bytes) {}

    /**
     * @param most bytes for the drivers of one host.
     */
    ImageMemory(long most) {
        this.most = most;
    }

    /** Takes the share of an image of so long terms; null if there is no room for it. */
    Share take(String host, int termLength) {
        long bytes = LogLayout.fileLength(termLength);
        if (byHost.getOrDefault(host, 0L) + bytes > most) {
            return null;
        }
        byHost.merge(host, bytes, Long::sum);
        return new Share(host, bytes);
    }

    /** The image is released, or is not made. */
    void free(Share share) {
        byHost.computeIfPresent(
                share.host,
                (host, bytes) -> bytes == share.bytes ? null : (Long) (bytes - share.bytes));
    }
}
