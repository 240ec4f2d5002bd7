// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.logbuffer.LogLayout;
import io.verbus.memory.LogRoom;
import io.verbus.udp.common.UdpOptions;

import org.agrona.SystemUtil;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Images that senders may have made here, and the memory of their logs, by host and in total: an
 * address proves nothing, so that the total is what holds. Conductor's thread.
 *
 * <p>What was taken counts for a while after it was given back: an image that failed or has ended
 * cost as much as any, and its log stays for as long as clients may still map it.
 */
final class ImageQuota {
    /** Longer than a log stays after its last use, unless the driver's linger was set. */
    static final long LINGER_NS = 10_000_000_000L;

    /** What a log of which a part is in use has beside it: consumed, and not given back yet. */
    private static final long SLACK = 8 * 1024 * 1024;

    private final UdpOptions options;
    private final Map<String, Use> byHost = new HashMap<>();
    private final Use total = new Use();
    private final ArrayDeque<Share> ended = new ArrayDeque<>();

    private static final class Use {
        int images;
        long bytes;

        void add(int newImages, long newBytes) {
            images += newImages;
            bytes += newBytes;
        }
    }

    /** What one image takes. */
    static final class Share {
        private final String host;
        private final long bytes;
        private long untilNs;

        private Share(String host, long bytes) {
            this.host = host;
            this.bytes = bytes;
        }
    }

    /** Why an image is not made. */
    enum Refusal {
        /** Its terms are too long. */
        TERM_LENGTH,
        /** The host has too many. */
        IMAGES_OF_HOST,
        /** All hosts together have too many. */
        IMAGES,
        /** Logs of the host take too much memory. */
        MEMORY_OF_HOST,
        /** Logs of all hosts together do. */
        MEMORY
    }

    ImageQuota(UdpOptions options) {
        this.options = options;
    }

    /**
     * Memory that a log takes at most.
     *
     * @param span bytes of it that are in use at a time; 0 if all are.
     */
    static long bytes(int termLength, long span) {
        boolean isWhole = span == 0 || termLength <= LogRoom.LONGEST_WHOLE;
        return isWhole ? LogLayout.fileLength(termLength) : span + SLACK;
    }

    /** Why a host may have no image of so long terms that takes so much; null if it may. */
    Refusal refusal(String host, int termLength, long bytes) {
        Use use = byHost.getOrDefault(host, new Use());
        if (termLength > options.maxTermLength()) {
            return Refusal.TERM_LENGTH;
        }
        if (use.images >= options.maxImagesPerHost()) {
            return Refusal.IMAGES_OF_HOST;
        }
        if (total.images >= options.maxImages()) {
            return Refusal.IMAGES;
        }
        if (use.bytes + bytes > options.maxImageMemory()) {
            return Refusal.MEMORY_OF_HOST;
        }
        return total.bytes + bytes > options.maxTotalImageMemory() ? Refusal.MEMORY : null;
    }

    /** Why, in words that are the same each time, for operators of either end. */
    String reason(Refusal refusal) {
        return switch (refusal) {
            case TERM_LENGTH ->
                    "its terms are longer than udp.max-term-length, "
                            + SystemUtil.formatSize(options.maxTermLength())
                            + ": raise it at the subscribing driver, or shorten the term-length of"
                            + " the publication";
            case IMAGES_OF_HOST ->
                    "its host has "
                            + options.maxImagesPerHost()
                            + " images, those of the last seconds counted: raise"
                            + " udp.max-images-per-host at the subscribing driver";
            case IMAGES ->
                    "there are "
                            + options.maxImages()
                            + " images, those of the last seconds counted: raise udp.max-images at"
                            + " the subscribing driver";
            case MEMORY_OF_HOST ->
                    "the images of its host would take more memory than udp.max-image-memory, "
                            + SystemUtil.formatSize(options.maxImageMemory())
                            + ": raise it at the subscribing driver, or shorten the term-length of"
                            + " publications";
            case MEMORY ->
                    "the images of all hosts would take more memory than"
                            + " udp.max-total-image-memory, "
                            + SystemUtil.formatSize(options.maxTotalImageMemory())
                            + ": raise it at the subscribing driver, or shorten the term-length of"
                            + " publications";
        };
    }

    /** An image is going to be made. */
    Share take(String host, long bytes) {
        Share share = new Share(host, bytes);
        byHost.computeIfAbsent(host, none -> new Use()).add(1, share.bytes);
        total.add(1, share.bytes);
        return share;
    }

    /** Nothing was made after all, nor was it tried. */
    void giveBack(Share share) {
        byHost.computeIfPresent(
                share.host,
                (host, use) -> {
                    use.add(-1, -share.bytes);
                    return use.images == 0 ? null : use;
                });
        total.add(-1, -share.bytes);
    }

    /** An image has ended, or could not be made: it counts for a while yet. */
    void end(Share share, long nowNs) {
        share.untilNs = nowNs + LINGER_NS;
        ended.addLast(share);
    }

    /** Forgets one that has counted for long enough. */
    int work(long nowNs) {
        Share first = ended.peekFirst();
        if (first == null || nowNs - first.untilNs < 0) {
            return 0;
        }
        giveBack(ended.removeFirst());
        return 1;
    }
}
