// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.logbuffer.LogLayout;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Bytes of the images' logs, in all and by the host whose drivers offered them: a host that offers
 * ever more streams, or ever longer terms, must not use up the memory of this one. A share is taken
 * before the log is made. That of an offer that fails counts for a while longer, as what it cost
 * cannot be had again at once. Conductor's thread.
 */
final class ImageMemory {
    /** As long as publishers wait for between two offers at the most. */
    static final long FAILED_NS = TimeUnit.SECONDS.toNanos(10);

    private final long mostOfHost;
    private final long mostInAll;
    private final Map<String, Long> byHost = new HashMap<>();
    private final ArrayDeque<Share> failed = new ArrayDeque<>();
    private long inAll;

    /** What one offer takes. */
    static final class Share {
        private final String host;
        private final long bytes;
        private boolean isFailed;
        private long untilNs;

        private Share(String host, long bytes) {
            this.host = host;
            this.bytes = bytes;
        }

        /** The offer has failed: its share is given back late. */
        void fail() {
            isFailed = true;
        }
    }

    /**
     * @param mostOfHost bytes for the drivers of one host.
     * @param mostInAll bytes for all.
     */
    ImageMemory(long mostOfHost, long mostInAll) {
        this.mostOfHost = mostOfHost;
        this.mostInAll = mostInAll;
    }

    /** Takes a share for an image of so long terms; null if there is no room. */
    Share take(String host, int termLength) {
        long bytes = LogLayout.fileLength(termLength);
        long ofHost = byHost.getOrDefault(host, 0L);
        if (ofHost + bytes > mostOfHost || inAll + bytes > mostInAll) {
            return null;
        }
        byHost.put(host, ofHost + bytes);
        inAll += bytes;
        return new Share(host, bytes);
    }

    /** Gives a share back: the image is released, or there will be none. */
    void giveBack(Share share, long nowNs) {
        if (share.isFailed) {
            share.untilNs = nowNs + FAILED_NS;
            failed.add(share);
        } else {
            free(share);
        }
    }

    /** Timers. */
    void work(long nowNs) {
        while (!failed.isEmpty() && nowNs - failed.peek().untilNs >= 0) {
            free(failed.poll());
        }
    }

    private void free(Share share) {
        inAll -= share.bytes;
        byHost.computeIfPresent(
                share.host,
                (host, bytes) -> bytes == share.bytes ? null : (Long) (bytes - share.bytes));
    }
}
