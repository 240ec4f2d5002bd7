// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.common;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Option values of the transport. {@link #ALL} describes the options and their ranges.
 *
 * @param window {@link #WINDOW}.
 * @param publicationWindow {@link #PUBLICATION_WINDOW}.
 * @param receiveBuffer {@link #RECEIVE_BUFFER}.
 * @param sendBuffer {@link #SEND_BUFFER}.
 * @param congestionControl {@link #CONGESTION_CONTROL}.
 * @param gso {@link #GSO}.
 * @param gro {@link #GRO}.
 * @param adapterTimestamps whether {@link #MEDIA_TIMESTAMPS} prefers the network adapter's.
 * @param maxImages {@link #MAX_IMAGES}.
 * @param maxImagesPerHost {@link #MAX_IMAGES_PER_HOST}.
 * @param maxTermLength {@link #MAX_TERM_LENGTH}.
 * @param maxImageMemory {@link #MAX_IMAGE_MEMORY}.
 * @param maxTotalImageMemory {@link #MAX_TOTAL_IMAGE_MEMORY}.
 * @param maxReceivers {@link #MAX_RECEIVERS}.
 * @param statusIntervalNs {@link #STATUS_INTERVAL}, nanoseconds.
 * @param setupIntervalNs {@link #SETUP_INTERVAL}, nanoseconds.
 * @param heartbeatIntervalNs {@link #HEARTBEAT_INTERVAL}, nanoseconds.
 * @param connectionTimeoutNs {@link #CONNECTION_TIMEOUT}, nanoseconds.
 * @param imageTimeoutNs {@link #IMAGE_TIMEOUT}, nanoseconds.
 * @param lingerNs {@link #LINGER}, nanoseconds.
 * @param nakDelayNs {@link #NAK_DELAY}, nanoseconds.
 * @param nakRetryNs {@link #NAK_RETRY}, nanoseconds.
 * @param retransmitLingerNs {@link #RETRANSMIT_LINGER}, nanoseconds.
 * @param maxResend {@link #MAX_RESEND}.
 * @param givesUpSlowReceivers {@link #GIVE_UP_SLOW_RECEIVERS}.
 * @param senderPorts {@link PortRange#SENDER}.
 * @param receiverPorts {@link PortRange#RECEIVER}.
 * @param group option values for streams with several receivers.
 * @param allow {@link AllowedSources#ALLOW}, or null if all hosts are allowed.
 */
public record UdpOptions(
        int window,
        int publicationWindow,
        int receiveBuffer,
        int sendBuffer,
        String congestionControl,
        boolean gso,
        boolean gro,
        boolean adapterTimestamps,
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
        long retransmitLingerNs,
        int maxResend,
        boolean givesUpSlowReceivers,
        PortRange senderPorts,
        PortRange receiverPorts,
        GroupOptions group,
        Networks allow) {
    private static final long US = 1_000;
    private static final long MS = 1_000_000;
    private static final long DAY = 24 * 3600 * 1000 * MS;
    private static final int MIN_BUFFER = 1024;
    private static final int MAX_BUFFER = 1 << 30;

    static final Option<Long> WINDOW =
            Option.size(
                    "udp.window",
                    "128k",
                    MIN_BUFFER,
                    MAX_BUFFER,
                    "How many bytes a sender may be ahead of the subscribers; at most half"
                            + " a term.");

    static final Option<Long> PUBLICATION_WINDOW =
            Option.size(
                    "udp.publication-window",
                    "0",
                    0,
                    MAX_BUFFER,
                    "How many bytes a publisher may be ahead of the sender; 0 means half a"
                            + " term, the maximum.");

    static final Option<Long> RECEIVE_BUFFER =
            Option.size(
                    "udp.receive-buffer",
                    "2m",
                    MIN_BUFFER,
                    MAX_BUFFER,
                    "Size in bytes of each endpoint's socket receive buffer.");

    static final Option<Long> SEND_BUFFER =
            Option.size(
                    "udp.send-buffer",
                    "2m",
                    MIN_BUFFER,
                    MAX_BUFFER,
                    "Size in bytes of each destination's socket send buffer.");

    static final Option<String> CONGESTION_CONTROL =
            Option.choice(
                    "udp.congestion-control",
                    "static",
                    List.of("static", "cubic"),
                    "Default congestion control, for subscriptions without a cc key.");

    static final Option<Boolean> GSO =
            Option.flag(
                    "udp.gso",
                    true,
                    "Whether the driver passes several datagrams to the kernel at a time (generic"
                            + " segmentation offload).");

    static final Option<Boolean> GRO =
            Option.flag(
                    "udp.gro",
                    true,
                    "Whether the kernel may coalesce received datagrams (generic receive"
                            + " offload).");

    private static final String ADAPTER = "adapter";

    static final Option<String> MEDIA_TIMESTAMPS =
            Option.choice(
                    "udp.media-timestamps",
                    "kernel",
                    List.of("kernel", ADAPTER),
                    "Clock for media-rcv-ts-offset: the kernel's (the system clock), or the network"
                            + " adapter's if the adapter writes timestamps.");

    static final Option<Integer> MAX_IMAGES =
            Option.count(
                    "udp.max-images",
                    "8192",
                    1,
                    1 << 16,
                    "Maximum number of images from all hosts.");

    static final Option<Integer> MAX_IMAGES_PER_HOST =
            Option.count(
                    "udp.max-images-per-host",
                    "8192",
                    1,
                    1 << 16,
                    "Maximum number of images from one host.");

    static final Option<Long> MAX_TERM_LENGTH =
            Option.size(
                    "udp.max-term-length",
                    "1g",
                    LogLayout.MIN_TERM_LENGTH,
                    LogLayout.MAX_TERM_LENGTH,
                    "Maximum length of an image's terms in bytes; Aeron's default for publications"
                            + " is 16m.");

    static final Option<Long> MAX_IMAGE_MEMORY =
            Option.size(
                    "udp.max-image-memory",
                    "4g",
                    1 << 20,
                    1L << 46,
                    "Maximum memory in bytes for images from one host.");

    static final Option<Long> MAX_TOTAL_IMAGE_MEMORY =
            Option.size(
                    "udp.max-total-image-memory",
                    "8g",
                    1 << 20,
                    1L << 46,
                    "Maximum memory in bytes for images from all hosts.");

    static final Option<Integer> MAX_RECEIVERS =
            Option.count(
                    "udp.max-receivers",
                    "64",
                    1,
                    1 << 12,
                    "Maximum number of receivers of one dynamic publication.");

    static final Option<Long> STATUS_INTERVAL =
            Option.duration(
                    "udp.status-interval",
                    "200ms",
                    MS,
                    DAY,
                    "Longest interval between status messages.");

    static final Option<Long> SETUP_INTERVAL =
            Option.duration(
                    "udp.setup-interval",
                    "100ms",
                    MS,
                    DAY,
                    "Interval between SETUP frames while no receiver answers.");

    static final Option<Long> HEARTBEAT_INTERVAL =
            Option.duration(
                    "udp.heartbeat-interval",
                    "100ms",
                    MS,
                    DAY,
                    "Interval between heartbeats of an idle stream.");

    static final Option<Long> CONNECTION_TIMEOUT =
            Option.duration(
                    "udp.connection-timeout",
                    "5s",
                    10 * MS,
                    DAY,
                    "Time without a status message after which a receiver is considered gone.");

    static final Option<Long> IMAGE_TIMEOUT =
            Option.duration(
                    "udp.image-timeout",
                    "10s",
                    10 * MS,
                    DAY,
                    "Time without a frame after which a sender is considered gone.");

    static final Option<Long> LINGER =
            Option.duration(
                    "udp.linger",
                    "5s",
                    0,
                    DAY,
                    "How long an ended stream continues to answer NAKs; default for channels"
                            + " without a linger key.");

    static final Option<Long> NAK_DELAY =
            Option.duration(
                    "udp.nak-delay",
                    "100us",
                    0,
                    DAY,
                    "Time to wait for reordered frames before the receiver sends a NAK for a gap.");

    static final Option<Long> NAK_RETRY =
            Option.duration(
                    "udp.nak-retry",
                    "10ms",
                    10 * US,
                    DAY,
                    "Interval between NAKs for the same gap.");

    static final Option<Long> RETRANSMIT_LINGER =
            Option.duration(
                    "udp.retransmit-linger",
                    "10ms",
                    10 * US,
                    DAY,
                    "How long the sender ignores further NAKs for a range that it has just"
                            + " retransmitted.");

    static final Option<Integer> MAX_RESEND =
            Option.count(
                    "udp.max-resend",
                    "64",
                    1,
                    256,
                    "Maximum number of ranges that a publication retransmits concurrently; beyond"
                            + " this number, the closest ranges are merged.");

    static final Option<Boolean> GIVE_UP_SLOW_RECEIVERS =
            Option.flag(
                    "udp.give-up-slow-receivers",
                    false,
                    "Whether fc=max drops slow receivers, as in Aeron: senders retransmit at most"
                            + " half a term, and receivers ignore heartbeats beyond the window.");

    private static final List<Option<?>> OWN =
            List.of(
                    WINDOW,
                    PUBLICATION_WINDOW,
                    RECEIVE_BUFFER,
                    SEND_BUFFER,
                    CONGESTION_CONTROL,
                    GSO,
                    GRO,
                    MEDIA_TIMESTAMPS,
                    MAX_IMAGES,
                    MAX_IMAGES_PER_HOST,
                    MAX_TERM_LENGTH,
                    MAX_IMAGE_MEMORY,
                    MAX_TOTAL_IMAGE_MEMORY,
                    MAX_RECEIVERS,
                    STATUS_INTERVAL,
                    SETUP_INTERVAL,
                    HEARTBEAT_INTERVAL,
                    CONNECTION_TIMEOUT,
                    IMAGE_TIMEOUT,
                    LINGER,
                    NAK_DELAY,
                    NAK_RETRY,
                    RETRANSMIT_LINGER,
                    MAX_RESEND,
                    GIVE_UP_SLOW_RECEIVERS);

    /** All options, in help order. */
    public static final List<Option<?>> ALL =
            Stream.of(List.of(AllowedSources.ALLOW), OWN, PortRange.ALL, GroupOptions.ALL)
                    .<Option<?>>flatMap(List::stream)
                    .toList();

    /**
     * Reads the options.
     *
     * @param host settings of the driver.
     * @return the option values.
     * @throws TransportException if a value is invalid.
     */
    public static UdpOptions of(TransportSettings host) {
        return new UdpOptions(
                WINDOW.read(host).intValue(),
                PUBLICATION_WINDOW.read(host).intValue(),
                RECEIVE_BUFFER.read(host).intValue(),
                SEND_BUFFER.read(host).intValue(),
                CONGESTION_CONTROL.read(host),
                GSO.read(host),
                GRO.read(host),
                MEDIA_TIMESTAMPS.read(host).equals(ADAPTER),
                MAX_IMAGES.read(host),
                MAX_IMAGES_PER_HOST.read(host),
                MAX_TERM_LENGTH.read(host).intValue(),
                MAX_IMAGE_MEMORY.read(host),
                MAX_TOTAL_IMAGE_MEMORY.read(host),
                MAX_RECEIVERS.read(host),
                STATUS_INTERVAL.read(host),
                SETUP_INTERVAL.read(host),
                HEARTBEAT_INTERVAL.read(host),
                CONNECTION_TIMEOUT.read(host),
                IMAGE_TIMEOUT.read(host),
                LINGER.read(host),
                NAK_DELAY.read(host),
                NAK_RETRY.read(host),
                RETRANSMIT_LINGER.read(host),
                MAX_RESEND.read(host),
                GIVE_UP_SLOW_RECEIVERS.read(host),
                PortRange.sender(host),
                PortRange.receiver(host),
                GroupOptions.of(host),
                AllowedSources.networks(host));
    }

    /**
     * Returns the number of bytes by which a publisher may be ahead of the sent position.
     *
     * @param channel channel of the publication.
     * @param termLength term length of its log.
     */
    public int publicationWindow(ChannelUri channel, int termLength) {
        int most = termLength / 2;
        int asked = channel.publicationWindow().orElse(publicationWindow);
        return asked == 0 ? most : Math.min(asked, most);
    }

    /** Returns how long a closed publication still answers NAKs, in nanoseconds. */
    public long lingerNs(ChannelUri channel) {
        Duration linger = channel.datagrams().linger();
        return linger == null ? lingerNs : linger.toNanos();
    }
}
