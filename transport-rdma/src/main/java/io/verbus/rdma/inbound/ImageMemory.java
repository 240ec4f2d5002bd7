// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.logbuffer.LogLayout;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counts the bytes of images' logs, in total and per host, so that a host that offers many streams
 * or long terms cannot exhaust memory. A share is taken before the log is created. The share of a
 * failed offer counts for a while longer, because its cost is not recovered immediately. Used by
 * the conductor's thread.
 */
final class ImageMemory {
    /**
     * Time for which the share of a failed offer counts: the longest time that publishers wait
     * between two offers.
     */
    static final long FAILED_NS = TimeUnit.SECONDS.toNanos(10);

    private final long mostOfHost;
    private final long mostInAll;
    private final Map<String, Long> byHost = new HashMap<>();
    private final ArrayDeque<Share> failed = new ArrayDeque<>();
    private long inAll;

    /** Share of one offer. */
    static final class Share {
        private final String host;
        private final long bytes;
        private boolean isFailed;
        private long untilNs;

        private Share(String host, long bytes) {
            this.host = host;
            this.bytes = bytes;
        }

        /** Marks the offer failed, which delays the return of its share. */
        void fail() {
            isFailed = true;
        }
    }

    /**
     * @param mostOfHost maximum bytes for the drivers of one host.
     * @param mostInAll maximum total bytes.
     */
    ImageMemory(long mostOfHost, long mostInAll) {
        this.mostOfHost = mostOfHost;
        this.mostInAll = mostInAll;
    }

    /** Takes a share for an image with the given term length; returns null if there is no room. */
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

    /** Gives back the share of an image that is released or was not created. */
    void giveBack(Share share, long nowNs) {
        if (share.isFailed) {
            share.untilNs = nowNs + FAILED_NS;
            failed.add(share);
        } else {
            free(share);
        }
    }

    /** Frees the shares of failed offers whose time has passed. */
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
