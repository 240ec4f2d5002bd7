// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import io.verbus.channel.FabricSettings;
import io.verbus.channel.LocalInterface;
import io.verbus.rdma.auth.KeyFile;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import org.agrona.SystemUtil;

import java.util.List;

/**
 * Values of the transport's options. {@link #ALL} describes the options and their ranges.
 *
 * @param sendDepth {@link #SEND_DEPTH}.
 * @param receiveDepth {@link #RECEIVE_DEPTH}.
 * @param retryCount {@link #RETRY_COUNT}.
 * @param rnrRetryCount {@link #RNR_RETRY_COUNT}.
 * @param ackTimeout {@link #ACK_TIMEOUT}, the exponent.
 * @param trafficClass {@link #TRAFFIC_CLASS}, or {@link ConnectionOptions#ANY}.
 * @param pathMtu {@link #PATH_MTU}, or {@link ConnectionOptions#ANY}.
 * @param device {@link #DEVICE}, or null for any.
 * @param localHost {@link #INTERFACE}, or null to let the route decide.
 * @param linkLayer {@link #LINK_LAYER}, or null for any.
 * @param order {@link #ORDER}.
 * @param batchLength {@link #BATCH_LENGTH}.
 * @param idleAfterNs {@link #IDLE_AFTER}.
 * @param maxStreams {@link #MAX_STREAMS}.
 * @param maxPeers {@link #MAX_PEERS}.
 * @param maxConnections {@link #MAX_CONNECTIONS}.
 * @param maxHalfOpen {@link #MAX_HALF_OPEN}.
 * @param halfOpenTimeoutNs {@link #HALF_OPEN_TIMEOUT}.
 * @param maxImageMemory {@link #MAX_IMAGE_MEMORY}.
 * @param maxTotalImageMemory {@link #MAX_TOTAL_IMAGE_MEMORY}.
 * @param statusIntervalNs {@link #STATUS_INTERVAL}.
 * @param probeIntervalNs {@link #PROBE_INTERVAL}.
 * @param probeTimeoutNs {@link #PROBE_TIMEOUT}.
 * @param connectTimeoutNs {@link #CONNECT_TIMEOUT}.
 * @param backoffMinNs {@link #BACKOFF_MIN}.
 * @param backoffMaxNs {@link #BACKOFF_MAX}.
 * @param resumeTimeoutNs {@link #RESUME_TIMEOUT}.
 * @param lingerNs {@link #LINGER}.
 */
public record RdmaOptions(
        int sendDepth,
        int receiveDepth,
        int retryCount,
        int rnrRetryCount,
        int ackTimeout,
        int trafficClass,
        int pathMtu,
        String device,
        String localHost,
        String linkLayer,
        WriteOrder order,
        int batchLength,
        long idleAfterNs,
        int maxStreams,
        int maxPeers,
        int maxConnections,
        int maxHalfOpen,
        long halfOpenTimeoutNs,
        long maxImageMemory,
        long maxTotalImageMemory,
        long statusIntervalNs,
        long probeIntervalNs,
        long probeTimeoutNs,
        long connectTimeoutNs,
        long backoffMinNs,
        long backoffMaxNs,
        long resumeTimeoutNs,
        long lingerNs) {
    /** Maximum length of a control message in bytes. */
    public static final int MESSAGE_LENGTH = 256;

    private static final String ANY = "any";
    private static final long MS = 1_000_000;
    private static final long MINUTE = 60_000 * MS;

    static final Option<Integer> SEND_DEPTH =
            Option.count(
                    "rdma.send-depth",
                    "256",
                    16,
                    16_384,
                    "Maximum number of outstanding work requests per queue pair.");

    static final Option<Integer> RECEIVE_DEPTH =
            Option.count(
                    "rdma.receive-depth",
                    "64",
                    8,
                    4_096,
                    "Number of receives that each queue pair keeps posted for control messages.");

    static final Option<Integer> RETRY_COUNT =
            Option.count(
                    "rdma.retry-count",
                    "6",
                    0,
                    6,
                    "Number of transport retries before a connection fails.");

    static final Option<Integer> RNR_RETRY_COUNT =
            Option.count(
                    "rdma.rnr-retry-count",
                    "7",
                    0,
                    7,
                    "Number of retries while a peer has no receive posted; 7 means unlimited, which"
                            + " lets a peer pause.");

    static final Option<Integer> ACK_TIMEOUT =
            Option.of(
                    "rdma.ack-timeout",
                    "14",
                    FabricSettings.RIGHT_ACK_TIMEOUT,
                    "Time to wait for an acknowledgement before each retry: an exponent n (4.096 us"
                            + " * 2^n), or a time, which is rounded up.",
                    RdmaOptions::ackTimeout);

    static final Option<Integer> TRAFFIC_CLASS =
            Option.of(
                    "rdma.traffic-class",
                    ANY,
                    "a whole number from 0 to 255, or any",
                    "Traffic class of packets sent by this driver's publications, and of the"
                            + " replies.",
                    text -> text.equals(ANY) ? ConnectionOptions.ANY : trafficClass(text));

    static final Option<Integer> PATH_MTU =
            Option.of(
                    "rdma.path-mtu",
                    ANY,
                    "256, 512, 1024, 2048, 4096 or any",
                    "Path MTU in bytes that connections must have.",
                    text -> text.equals(ANY) ? ConnectionOptions.ANY : pathMtu(text));

    static final Option<String> DEVICE =
            Option.of(
                    "rdma.device",
                    ANY,
                    "the name of an RDMA device, or any",
                    "RDMA device that all connections must use.",
                    RdmaOptions::device);

    static final Option<String> INTERFACE =
            Option.of(
                    "rdma.interface",
                    ANY,
                    "any, the ADDRESS or {NAME} of an interface, or the ADDRESS/PREFIX of a subnet,"
                            + " such as 10.1.0.0/16",
                    "Default local address of connections, for channels without an interface key.",
                    RdmaOptions::localHost);

    static final Option<String> LINK_LAYER =
            Option.of(
                    "rdma.link-layer",
                    ANY,
                    "infiniband, ethernet or any",
                    "Link layer that ports should have; the driver warns about ports with a"
                            + " different link layer.",
                    RdmaOptions::linkLayer);

    static final Option<WriteOrder> ORDER =
            Option.constant(
                    "rdma.order",
                    WriteOrder.TRUST,
                    WriteOrder.values(),
                    "How to treat adapters that may reorder writes: trust warns about them, check"
                            + " refuses them, safe commits a batch once the peer confirms it.");

    static final Option<Long> BATCH_LENGTH =
            Option.size(
                    "rdma.batch-length",
                    "64k",
                    4_096,
                    1 << 30,
                    "Maximum bytes that the sender sends for one stream before it serves the"
                            + " next.");

    static final Option<Long> IDLE_AFTER =
            Option.duration(
                    "rdma.idle-after",
                    "100ms",
                    0,
                    MINUTE,
                    "Time without work after which a stream counts as idle and is polled less"
                            + " often.");

    static final Option<Integer> MAX_STREAMS =
            Option.count(
                    "rdma.max-streams",
                    "4096",
                    1,
                    1 << 20,
                    "Maximum number of streams from one peer.");

    static final Option<Integer> MAX_PEERS =
            Option.count(
                    "rdma.max-peers",
                    "256",
                    1,
                    1 << 16,
                    "Maximum number of connections to this driver's endpoints; each takes 13"
                            + " counters.");

    static final Option<Integer> MAX_CONNECTIONS =
            Option.count(
                    "rdma.max-connections",
                    "256",
                    1,
                    1 << 16,
                    "Maximum number of connections from this driver to other drivers' endpoints; "
                            + "each takes 13 counters.");

    static final Option<Integer> MAX_HALF_OPEN =
            Option.count(
                    "rdma.max-half-open",
                    "64",
                    1,
                    1 << 16,
                    "Maximum number of connections that have not offered a stream; each additional"
                            + " connection closes the oldest.");

    static final Option<Long> HALF_OPEN_TIMEOUT =
            Option.duration(
                    "rdma.half-open-timeout",
                    "10s",
                    10 * MS,
                    10 * MINUTE,
                    "Time within which a new connection must offer a stream.");

    static final Option<Long> MAX_IMAGE_MEMORY =
            Option.size(
                    "rdma.max-image-memory",
                    "8g",
                    1 << 20,
                    1L << 46,
                    "Maximum memory in bytes for images from one host; a failed offer counts for"
                            + " another 10 s.");

    static final Option<Long> MAX_TOTAL_IMAGE_MEMORY =
            Option.size(
                    "rdma.max-total-image-memory",
                    "64g",
                    1 << 20,
                    1L << 46,
                    "Maximum memory in bytes for images from all hosts.");

    static final Option<Long> STATUS_INTERVAL =
            Option.duration(
                    "rdma.status-interval",
                    "100ms",
                    MS,
                    MINUTE,
                    "Longest time from consumption until the next credit grant.");

    static final Option<Long> PROBE_INTERVAL =
            Option.duration(
                    "rdma.probe-interval",
                    "500ms",
                    MS,
                    MINUTE,
                    "Interval between probes of a peer.");

    static final Option<Long> PROBE_TIMEOUT =
            Option.duration(
                    "rdma.probe-timeout",
                    "2s",
                    MS,
                    10 * MINUTE,
                    "Time within which a peer must answer a probe.");

    static final Option<Long> CONNECT_TIMEOUT =
            Option.duration(
                    "rdma.connect-timeout",
                    "30s",
                    10 * MS,
                    10 * MINUTE,
                    "Time within which a connection must be established.");

    static final Option<Long> BACKOFF_MIN =
            Option.duration(
                    "rdma.backoff-min",
                    "100ms",
                    MS,
                    MINUTE,
                    "Time to wait before the first attempt to reconnect.");

    static final Option<Long> BACKOFF_MAX =
            Option.duration(
                    "rdma.backoff-max",
                    "2s",
                    MS,
                    10 * MINUTE,
                    "Longest time to wait between attempts to connect.");

    static final Option<Long> RESUME_TIMEOUT =
            Option.duration(
                    "rdma.resume-timeout",
                    "10s",
                    0,
                    10 * MINUTE,
                    "Time within which a lost connection must be re-established for its streams to"
                            + " resume without a gap.");

    static final Option<Long> LINGER =
            Option.duration(
                    "rdma.linger",
                    "1s",
                    0,
                    10 * MINUTE,
                    "How long a connection without streams is kept.");

    /** Parsed by the allow list. */
    public static final Option<String> ALLOW =
            Option.of(
                    "rdma.allow",
                    AllowList.SUBNET,
                    "IPv4 and IPv6 networks and addresses, separated by commas; subnet means the"
                            + " subnet of the receiving address",
                    "Networks whose hosts may connect to this driver; by default its subnet and the"
                            + " networks in rdma.networks.",
                    text -> text);

    /** Value of {@link #NETWORKS} if RDMA carries only its own channels. */
    public static final String NO_NETWORKS = "none";

    /** Parsed by {@link #networks}. */
    public static final Option<String> NETWORKS =
            Option.of(
                    "rdma.networks",
                    NO_NETWORKS,
                    "IPv4 and IPv6 networks and addresses, separated by commas, or none",
                    "Networks in which aeron:udp channels use RDMA.",
                    text -> text);

    /** All options, in help order. */
    public static final List<Option<?>> ALL =
            List.of(
                    NETWORKS,
                    ALLOW,
                    KeyFile.OPTION,
                    SEND_DEPTH,
                    RECEIVE_DEPTH,
                    RETRY_COUNT,
                    RNR_RETRY_COUNT,
                    ACK_TIMEOUT,
                    TRAFFIC_CLASS,
                    PATH_MTU,
                    DEVICE,
                    INTERFACE,
                    LINK_LAYER,
                    ORDER,
                    BATCH_LENGTH,
                    IDLE_AFTER,
                    MAX_STREAMS,
                    MAX_PEERS,
                    MAX_CONNECTIONS,
                    MAX_HALF_OPEN,
                    HALF_OPEN_TIMEOUT,
                    MAX_IMAGE_MEMORY,
                    MAX_TOTAL_IMAGE_MEMORY,
                    STATUS_INTERVAL,
                    PROBE_INTERVAL,
                    PROBE_TIMEOUT,
                    CONNECT_TIMEOUT,
                    BACKOFF_MIN,
                    BACKOFF_MAX,
                    RESUME_TIMEOUT,
                    LINGER);

    /**
     * Reads and validates the options.
     *
     * @param host settings that contain the options.
     * @return the options.
     * @throws TransportException if an option is invalid; the message names it.
     */
    public static RdmaOptions of(TransportSettings host) {
        RdmaOptions options =
                new RdmaOptions(
                        SEND_DEPTH.read(host),
                        RECEIVE_DEPTH.read(host),
                        RETRY_COUNT.read(host),
                        RNR_RETRY_COUNT.read(host),
                        ACK_TIMEOUT.read(host),
                        TRAFFIC_CLASS.read(host),
                        PATH_MTU.read(host),
                        DEVICE.read(host),
                        INTERFACE.read(host),
                        LINK_LAYER.read(host),
                        ORDER.read(host),
                        BATCH_LENGTH.read(host).intValue(),
                        IDLE_AFTER.read(host),
                        MAX_STREAMS.read(host),
                        MAX_PEERS.read(host),
                        MAX_CONNECTIONS.read(host),
                        MAX_HALF_OPEN.read(host),
                        HALF_OPEN_TIMEOUT.read(host),
                        MAX_IMAGE_MEMORY.read(host),
                        MAX_TOTAL_IMAGE_MEMORY.read(host),
                        STATUS_INTERVAL.read(host),
                        PROBE_INTERVAL.read(host),
                        PROBE_TIMEOUT.read(host),
                        CONNECT_TIMEOUT.read(host),
                        BACKOFF_MIN.read(host),
                        BACKOFF_MAX.read(host),
                        RESUME_TIMEOUT.read(host),
                        LINGER.read(host));
        if (options.backoffMinNs > options.backoffMaxNs) {
            throw new TransportException(
                    "option rdma.backoff-min is "
                            + SystemUtil.formatDuration(options.backoffMinNs)
                            + ", longer than rdma.backoff-max: set rdma.backoff-min to at most "
                            + SystemUtil.formatDuration(options.backoffMaxNs));
        }
        return options;
    }

    /** Returns the networks in which {@code aeron:udp} channels use RDMA. */
    public static Networks networks(TransportSettings settings) {
        String text = NETWORKS.read(settings);
        return text.equals(NO_NETWORKS) ? Networks.NONE : Networks.of(NETWORKS.name(), text);
    }

    /** Returns the options of connections, for channels that do not override them. */
    public ConnectionOptions connection() {
        return new ConnectionOptions(
                sendDepth,
                receiveDepth,
                MESSAGE_LENGTH,
                ConnectionOptions.MAX_INLINE,
                retryCount,
                rnrRetryCount,
                ackTimeout,
                trafficClass,
                pathMtu,
                device);
    }

    private static int ackTimeout(String text) {
        int exponent = FabricSettings.ackTimeoutExponent(text);
        if (exponent < 0) {
            throw new IllegalArgumentException(text);
        }
        return exponent;
    }

    private static int trafficClass(String text) {
        int value = Integer.parseInt(text);
        if (value < 0 || value > 255) {
            throw new IllegalArgumentException(text);
        }
        return value;
    }

    private static int pathMtu(String text) {
        if (!FabricSettings.isPathMtu(text)) {
            throw new IllegalArgumentException(text);
        }
        return Integer.parseInt(text);
    }

    private static String device(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException(text);
        }
        return text.equals(ANY) ? null : text;
    }

    private static String localHost(String text) {
        LocalInterface source = LocalInterface.parse(text);
        if (source == null || source.port() != 0) {
            throw new IllegalArgumentException(text);
        }
        return text.equals(ANY) ? null : source.name();
    }

    private static String linkLayer(String text) {
        return switch (text) {
            case ANY -> null;
            case "infiniband" -> PathAdvice.INFINIBAND;
            case "ethernet" -> PathAdvice.ETHERNET;
            default -> throw new IllegalArgumentException(text);
        };
    }
}
