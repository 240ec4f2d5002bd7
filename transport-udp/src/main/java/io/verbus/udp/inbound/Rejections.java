// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.wire.ErrorFrame;

import org.agrona.collections.Long2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Streams of an endpoint whose images subscribers have rejected. Whenever a sender offers or sends
 * such a stream again, it receives the reason again, at a limited rate, since datagrams may be
 * lost. Used by the receiver's thread only.
 */
final class Rejections {
    private static final long INTERVAL_NS = 200_000_000;

    private static final class Rejection {
        private final byte[] reason;
        private final long untilNs;
        private long nextNs;

        private Rejection(byte[] reason, long untilNs, long nextNs) {
            this.reason = reason;
            this.untilNs = untilNs;
            this.nextNs = nextNs;
        }
    }

    private final Long2ObjectHashMap<Rejection> all = new Long2ObjectHashMap<>();
    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(ErrorFrame.MAX_LENGTH));
    private final UdpEndpoint endpoint;
    private final int capacity;
    private final long durationNs;

    /**
     * @param endpoint endpoint of the streams.
     * @param capacity maximum number of streams to remember.
     * @param durationNs time to remember a stream for.
     */
    Rejections(UdpEndpoint endpoint, int capacity, long durationNs) {
        this.endpoint = endpoint;
        this.capacity = capacity;
        this.durationNs = durationNs;
    }

    /** Records the rejection of an image. */
    void add(long key, String reason, long nowNs) {
        all.values().removeIf(old -> nowNs - old.untilNs >= 0);
        if (all.size() < capacity) {
            byte[] text = reason.getBytes(StandardCharsets.US_ASCII);
            all.put(key, new Rejection(text, nowNs + durationNs, nowNs));
        }
    }

    /** Returns whether a stream is rejected. */
    boolean has(long key, long nowNs) {
        if (all.isEmpty()) {
            return false;
        }
        Rejection rejection = all.get(key);
        if (rejection != null && nowNs - rejection.untilNs >= 0) {
            all.remove(key);
            return false;
        }
        return rejection != null;
    }

    /**
     * Writes the error frame for the sender of a rejected stream.
     *
     * @return length of the frame in {@link #frame}; 0 if an error frame was written recently.
     */
    int write(long key, int sessionId, int streamId, long nowNs) {
        Rejection rejection = all.get(key);
        if (nowNs - rejection.nextNs < 0) {
            return 0;
        }
        rejection.nextNs = nowNs + INTERVAL_NS;
        int length =
                ErrorFrame.write(
                        frame,
                        sessionId,
                        streamId,
                        endpoint.receiverId(),
                        ErrorFrame.IMAGE_REJECTED,
                        rejection.reason,
                        Math.min(rejection.reason.length, ErrorFrame.MAX_TEXT));
        Long tag = endpoint.terms().groupTag();
        if (tag != null) {
            ErrorFrame.tag(frame, tag);
        }
        return length;
    }

    /** Returns the buffer that {@link #write} writes to. */
    UnsafeBuffer frame() {
        return frame;
    }

    /** Discards all state, because no subscription is left. */
    void clear() {
        all.clear();
    }
}
