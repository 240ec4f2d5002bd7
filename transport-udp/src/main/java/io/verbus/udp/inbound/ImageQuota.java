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
 * Limits the images that senders may cause, and the memory of their logs, per host and in total.
 * Since source addresses can be forged, only the total is reliable. Used by the conductor's thread
 * only.
 *
 * <p>An image counts for a while after it has ended or failed, because it costs as much as any
 * other image, and its log remains while clients may map it.
 */
final class ImageQuota {
    /**
     * Time for which an ended image counts: longer than its log remains after the last use, unless
     * the driver's linger time was changed.
     */
    static final long LINGER_NS = 10_000_000_000L;

    /** Memory of a partly allocated log beyond the part in use: consumed but not yet freed. */
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

    /** Share of one image. */
    static final class Share {
        private final String host;
        private final long bytes;
        private long untilNs;

        private Share(String host, long bytes) {
            this.host = host;
            this.bytes = bytes;
        }
    }

    /** Reason not to create an image. */
    enum Refusal {
        /** The terms are too long. */
        TERM_LENGTH,
        /** The host has too many images. */
        IMAGES_OF_HOST,
        /** There are too many images of all hosts. */
        IMAGES,
        /** Logs of the host take too much memory. */
        MEMORY_OF_HOST,
        /** Logs of all hosts take too much memory. */
        MEMORY
    }

    ImageQuota(UdpOptions options) {
        this.options = options;
    }

    /**
     * Returns the maximum memory of a log.
     *
     * @param span number of bytes in use at a time; 0 for all.
     */
    static long bytes(int termLength, long span) {
        boolean isWhole = span == 0 || termLength <= LogRoom.LONGEST_WHOLE;
        return isWhole ? LogLayout.fileLength(termLength) : span + SLACK;
    }

    /** Returns the reason to refuse an image, or null if it is allowed. */
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

    /** Returns the reason as constant text, for operators at both ends. */
    String reason(Refusal refusal) {
        return switch (refusal) {
            case TERM_LENGTH ->
                    "its terms are longer than udp.max-term-length, "
                            + SystemUtil.formatSize(options.maxTermLength())
                            + ": raise the limit at the subscribing driver, or shorten the"
                            + " publication's term-length";
            case IMAGES_OF_HOST ->
                    "its host already has "
                            + options.maxImagesPerHost()
                            + " images, including those that ended in the last few seconds: raise"
                            + " udp.max-images-per-host at the subscribing driver";
            case IMAGES ->
                    "there are already "
                            + options.maxImages()
                            + " images, including those that ended in the last few seconds: raise"
                            + " udp.max-images at the subscribing driver";
            case MEMORY_OF_HOST ->
                    "the images of its host would take more memory than udp.max-image-memory, "
                            + SystemUtil.formatSize(options.maxImageMemory())
                            + ": raise the limit at the subscribing driver, or shorten the"
                            + " publications' term-length";
            case MEMORY ->
                    "the images of all hosts would take more memory than"
                            + " udp.max-total-image-memory, "
                            + SystemUtil.formatSize(options.maxTotalImageMemory())
                            + ": raise the limit at the subscribing driver, or shorten the"
                            + " publications' term-length";
        };
    }

    /** Reserves the share of an image about to be created. */
    Share take(String host, long bytes) {
        Share share = new Share(host, bytes);
        byHost.computeIfAbsent(host, none -> new Use()).add(1, share.bytes);
        total.add(1, share.bytes);
        return share;
    }

    /** Releases a share for which no creation was attempted. */
    void giveBack(Share share) {
        byHost.computeIfPresent(
                share.host,
                (host, use) -> {
                    use.add(-1, -share.bytes);
                    return use.images == 0 ? null : use;
                });
        total.add(-1, -share.bytes);
    }

    /** Schedules the release of a share whose image has ended or could not be created. */
    void end(Share share, long nowNs) {
        share.untilNs = nowNs + LINGER_NS;
        ended.addLast(share);
    }

    /** Releases a share whose time is over; returns the work count. */
    int work(long nowNs) {
        Share first = ended.peekFirst();
        if (first == null || nowNs - first.untilNs < 0) {
            return 0;
        }
        giveBack(ended.removeFirst());
        return 1;
    }
}
