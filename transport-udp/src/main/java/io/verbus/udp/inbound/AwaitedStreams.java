// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.collections.LongArrayList;

import java.util.function.LongConsumer;

/**
 * Streams of responses. A response publication accepts only receivers that request exactly its
 * stream, so the receiver requests each stream that has no image. Used by the receiver's thread
 * only.
 */
final class AwaitedStreams {
    private final LongArrayList keys = new LongArrayList();
    private final long intervalNs;
    private boolean isDue;
    private long askedNs;

    /**
     * @param intervalNs interval between requests in nanoseconds.
     */
    AwaitedStreams(long intervalNs) {
        this.intervalNs = intervalNs;
    }

    void add(long key) {
        keys.addLong(key); // one entry for each subscription that waits for the stream
        isDue = true;
    }

    void remove(long key) {
        keys.removeLong(key);
    }

    void clear() {
        keys.clear();
    }

    /**
     * Requests the streams that have no image, if the interval has passed.
     *
     * @param images existing images by key.
     * @param ask action to run with the key of each stream.
     */
    void ask(Long2ObjectHashMap<ReceiveImage> images, LongConsumer ask, long nowNs) {
        if (keys.isEmpty() || !isDue && nowNs - askedNs < intervalNs) {
            return;
        }
        isDue = false;
        askedNs = nowNs;
        for (int i = 0; i < keys.size(); i++) {
            long key = keys.getLong(i);
            if (!images.containsKey(key)) {
                ask.accept(key);
            }
        }
    }
}
