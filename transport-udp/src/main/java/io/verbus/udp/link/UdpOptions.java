// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.link;

import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import org.agrona.SystemUtil;

/**
 * Options of the transport, each with its default and range. Named {@code verbus.udp.…} where they
 * are set. Durations take a unit: ns, us, ms or s.
 *
 * @param window {@code window}: bytes that a sender may be ahead of the subscribers; half a term at
 *     most.
 * @param publicationWindow {@code publication-window}: bytes that a publisher may be ahead of what
 *     was sent; half a term where it is 0, and at most.
 * @param receiveBuffer {@code receive-buffer}: bytes asked of the kernel for each endpoint.
 * @param sendBuffer {@code send-buffer}: bytes asked of the kernel for each destination.
 * @param congestionControl {@code congestion-control}: {@code static} or {@code cubic}, where the
 *     subscription's channel does not say.
 * @param gso {@code gso}: whether the kernel is handed joined datagrams, which it cuts apart.
 * @param gro {@code gro}: whether the kernel may join datagrams that arrive together.
 * @param maxImages {@code max-images}: images of all hosts.
 * @param maxImagesPerHost {@code max-images-per-host}: images of streams from one host.
 * @param maxTermLength {@code max-term-length}: bytes of a term of an image.
 * @param maxImageMemory {@code max-image-memory}: bytes of the logs of all images of one host.
 * @param maxTotalImageMemory {@code max-total-image-memory}: the same of all hosts.
 * @param maxReceivers {@code max-receivers}: receivers that come by themselves to one publication's
 *     control address.
 * @param statusIntervalNs {@code status-interval}: longest time between status messages.
 * @param setupIntervalNs {@code setup-interval}: time between set-ups while nobody answers.
 * @param heartbeatIntervalNs {@code heartbeat-interval}: time between an idle stream's heartbeats.
 * @param connectionTimeoutNs {@code connection-timeout}: time without a status message after which
 *     a receiver is gone.
 * @param imageTimeoutNs {@code image-timeout}: time without a frame after which a sender is gone.
 * @param lingerNs {@code linger}: time for which an ended stream is still answered for.
 * @param nakDelayNs {@code nak-delay}: time for which a gap may be reordering only.
 * @param nakRetryNs {@code nak-retry}: time between NAKs for the same gap.
 * @param retransmitLingerNs {@code retransmit-linger}: time for which a range that was sent again
 *     is not sent once more.
 */
public record UdpOptions(
        int window,
        int publicationWindow,
        int receiveBuffer,
        int sendBuffer,
        String congestionControl,
        boolean gso,
        boolean gro,
        int maxImages,
        int maxImagesPerHost,
        int maxTermLength,
        long maxImageMemory,
        long maxTotalImageMemory,
        int maxReceivers,
        long statusIntervalNs,
        long setupIntervalNs,
        long heartbeatIntervalNs,
        long connectionTimeoutNs,
        long imageTimeoutNs,
        long lingerNs,
        long nakDelayNs,
        long nakRetryNs,
        long retransmitLingerNs) {
    private static final long US = 1_000;
    private static final long MS = 1_000_000;
    private static final long MINUTE = 60_000 * MS;
    private static final int MAX_BUFFER = 1 << 30;

    /**
     * Reads the options that are set, and checks each.
     *
     * @param host what knows them.
     * @return the options.
     * @throws TransportException that names the wrong one.
     */
    public static UdpOptions of(TransportSettings host) {
        return new UdpOptions(
                size(host, "window", "128k", 4_096, MAX_BUFFER),
                size(host, "publication-window", "0", 0, MAX_BUFFER),
                size(host, "receive-buffer", "2m", 4_096, MAX_BUFFER),
                size(host, "send-buffer", "2m", 4_096, MAX_BUFFER),
                choice(host, "congestion-control", "static", "cubic"),
                flag(host, "gso"),
                flag(host, "gro"),
                count(host, "max-images", "1024", 1, 1 << 16),
                count(host, "max-images-per-host", "512", 1, 1 << 16),
                size(
                        host,
                        "max-term-length",
                        "64m",
                        LogLayout.MIN_TERM_LENGTH,
                        LogLayout.MAX_TERM_LENGTH),
                longSize(host, "max-image-memory", "4g", 1 << 20, 1L << 46),
                longSize(host, "max-total-image-memory", "8g", 1 << 20, 1L << 46),
                count(host, "max-receivers", "64", 1, 1 << 12),
                duration(host, "status-interval", "200ms", MS, MINUTE),
                duration(host, "setup-interval", "100ms", MS, MINUTE),
                duration(host, "heartbeat-interval", "100ms", MS, MINUTE),
                duration(host, "connection-timeout", "5s", 10 * MS, 10 * MINUTE),
                duration(host, "image-timeout", "10s", 10 * MS, 10 * MINUTE),
                duration(host, "linger", "5s", 0, MINUTE),
                duration(host, "nak-delay", "100us", 0, MINUTE),
                duration(host, "nak-retry", "10ms", 10 * US, MINUTE),
                duration(host, "retransmit-linger", "10ms", 10 * US, MINUTE));
    }

    /**
     * Bytes that a publisher may be ahead of what was sent.
     *
     * @param termLength of its log.
     */
    public int publicationWindow(int termLength) {
        int most = termLength / 2;
        return publicationWindow == 0 ? most : Math.min(publicationWindow, most);
    }

    private static String choice(TransportSettings host, String name, String preset, String other) {
        String text = host.option("udp." + name, preset);
        if (!text.equals(preset) && !text.equals(other)) {
            throw wrong(name, text, preset + " or " + other, null);
        }
        return text;
    }

    private static boolean flag(TransportSettings host, String name) {
        String text = host.option("udp." + name, "true");
        if (!text.equals("true") && !text.equals("false")) {
            throw wrong(name, text, "true or false", null);
        }
        return text.equals("true");
    }

    private static int count(TransportSettings host, String name, String preset, int min, int max) {
        String text = host.option("udp." + name, preset);
        String right = "a number from " + min + " to " + max;
        try {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException notNumber) {
            throw wrong(name, text, right, notNumber);
        }
        throw wrong(name, text, right, null);
    }

    private static int size(TransportSettings host, String name, String preset, int min, int max) {
        return (int) longSize(host, name, preset, min, max);
    }

    private static long longSize(
            TransportSettings host, String name, String preset, long min, long max) {
        String text = host.option("udp." + name, preset);
        String right = "from " + SystemUtil.formatSize(min) + " to " + SystemUtil.formatSize(max);
        try {
            long value = SystemUtil.parseSize(name, text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException notSize) {
            throw wrong(name, text, right, notSize);
        }
        throw wrong(name, text, right, null);
    }

    private static long duration(
            TransportSettings host, String name, String preset, long min, long max) {
        String text = host.option("udp." + name, preset);
        String right =
                "from " + SystemUtil.formatDuration(min) + " to " + SystemUtil.formatDuration(max);
        try {
            long value = SystemUtil.parseDuration(name, text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException notDuration) {
            throw wrong(name, text, right, notDuration);
        }
        throw wrong(name, text, right, null);
    }

    private static TransportException wrong(
            String name, String text, String right, Throwable cause) {
        return new TransportException(
                "option udp." + name + " is '" + text + "': it must be " + right, cause);
    }
}
