// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.logbuffer.LogLayout;

import java.util.HashMap;
import java.util.Map;

/**
 * Bytes of the images' logs, by the host whose drivers offered them: a host that offers ever more
 * streams, or ever longer terms, must not use up the memory of this one. Conductor's thread.
 */
final class ImageMemory {
    private final long most;
    private final Map<String, Long> byHost = new HashMap<>();
    private final Map<Long, Share> byImage = new HashMap<>();

    private record Share(String host, long bytes) {}

    /**
     * @param most bytes for the drivers of one host.
     */
    ImageMemory(long most) {
        this.most = most;
    }

    /** Whether an image of so long terms has room yet. */
    boolean hasRoom(String host, int termLength) {
        return byHost.getOrDefault(host, 0L) + LogLayout.fileLength(termLength) <= most;
    }

    /** An image was made. */
    void take(String host, long imageId, int termLength) {
        Share share = new Share(host, LogLayout.fileLength(termLength));
        byImage.put(imageId, share);
        byHost.merge(host, share.bytes, Long::sum);
    }

    /** An image is released. */
    void free(long imageId) {
        Share share = byImage.remove(imageId);
        if (share != null) {
            byHost.computeIfPresent(
                    share.host,
                    (host, bytes) -> bytes == share.bytes ? null : (Long) (bytes - share.bytes));
        }
    }
}
