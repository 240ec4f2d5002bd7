// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.link;

import io.verbus.FabricSettings;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportSettings;

import org.agrona.SystemUtil;

/**
 * Options of the transport, each with its default and range. Named {@code verbus.rdma.…} where they
 * are set. Durations take a unit: ns, us, ms or s.
 *
 * @param sendDepth {@code send-depth}: work requests outstanding on a queue pair.
 * @param receiveDepth {@code receive-depth}: control messages that can arrive before one is polled.
 * @param retryCount {@code retry-count}: transport retries before a connection fails.
 * @param rnrRetryCount {@code rnr-retry-count}: retries while a peer has no receive posted; 7 is
 *     without end.
 * @param ackTimeout {@code ack-timeout}: exponent of the time an acknowledgement may take, 4.096 us
 *     * 2^n, or a duration.
 * @param trafficClass {@code traffic-class}: of the packets that carry this driver's publications,
 *     or {@code any} ({@link ConnectionOptions#ANY}) for what the system has set.
 * @param pathMtu {@code path-mtu}: bytes that packets must carry, or {@code any}.
 * @param device {@code device}: the RDMA device that must carry all connections, or {@code any}
 *     (null).
 * @param linkLayer {@code link-layer}: what connections are expected to run on, {@code InfiniBand}
 *     or {@code Ethernet}, or {@code any} (null); another is warned of.
 * @param batchLength {@code batch-length}: bytes of one stream that are sent before the next
 *     stream's turn.
 * @param idleAfterNs {@code idle-after}: time without work after which a stream gets a turn only
 *     now and then.
 * @param maxStreams {@code max-streams}: streams that one peer may offer.
 * @param maxPeers {@code max-peers}: connections that may stand at this driver's endpoints.
 * @param maxHalfOpen {@code max-half-open}: connections at this driver's endpoints that have
 *     offered no stream yet; with one more the oldest is given up.
 * @param halfOpenTimeoutNs {@code half-open-timeout}: time within which a connection must offer a
 *     stream.
 * @param maxImageMemory {@code max-image-memory}: bytes of the logs of all images that the drivers
 *     of one host can have here; those of offers that failed count for 10 s longer.
 * @param maxTotalImageMemory {@code max-total-image-memory}: the same of all hosts.
 * @param statusIntervalNs {@code status-interval}: time after which credit is granted anew.
 * @param probeIntervalNs {@code probe-interval}: time between probes of a peer.
 * @param probeTimeoutNs {@code probe-timeout}: time within which a peer must answer.
 * @param connectTimeoutNs {@code connect-timeout}: time within which a connection must stand.
 * @param backoffMinNs {@code backoff-min}: wait before the first attempt to connect again.
 * @param backoffMaxNs {@code backoff-max}: longest wait between attempts.
 * @param resumeTimeoutNs {@code resume-timeout}: time within which a lost connection must stand
 *     again, so that its streams go on as if nothing had been.
 * @param lingerNs {@code linger}: time for which a connection without streams is kept.
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
        String linkLayer,
        int batchLength,
        long idleAfterNs,
        int maxStreams,
        int maxPeers,
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
    /** Most bytes of a control message. */
    public static final int MESSAGE_LENGTH = 256;

    private static final String ANY = "any";
    private static final int MAX_INLINE = 64;
    private static final long MS = 1_000_000;
    private static final long MINUTE = 60_000 * MS;

    /**
     * Reads the options that are set, and checks each.
     *
     * @param host what knows them.
     * @return the options.
     * @throws TransportException that names the wrong one.
     */
    public static RdmaOptions of(TransportSettings host) {
        RdmaOptions options =
                new RdmaOptions(
                        count(host, "send-depth", "256", 16, 16_384),
                        count(host, "receive-depth", "64", 8, 4_096),
                        count(host, "retry-count", "6", 0, 6),
                        count(host, "rnr-retry-count", "7", 0, 7),
                        ackTimeout(host),
                        countOrAny(host, "traffic-class", 0, 255),
                        pathMtu(host),
                        device(host),
                        linkLayer(host),
                        (int) size(host, "batch-length", "64k", 4_096, 1 << 30),
                        duration(host, "idle-after", "100ms", 0, MINUTE),
                        count(host, "max-streams", "4096", 1, 1 << 20),
                        count(host, "max-peers", "256", 1, 1 << 16),
                        count(host, "max-half-open", "64", 1, 1 << 16),
                        duration(host, "half-open-timeout", "10s", 10 * MS, 10 * MINUTE),
                        size(host, "max-image-memory", "8g", 1 << 20, 1L << 46),
                        size(host, "max-total-image-memory", "64g", 1 << 20, 1L << 46),
                        duration(host, "status-interval", "100ms", MS, MINUTE),
                        duration(host, "probe-interval", "500ms", MS, MINUTE),
                        duration(host, "probe-timeout", "2s", MS, 10 * MINUTE),
                        duration(host, "connect-timeout", "30s", 10 * MS, 10 * MINUTE),
                        duration(host, "backoff-min", "100ms", MS, MINUTE),
                        duration(host, "backoff-max", "2s", MS, 10 * MINUTE),
                        duration(host, "resume-timeout", "10s", 0, 10 * MINUTE),
                        duration(host, "linger", "1s", 0, 10 * MINUTE));
        if (options.backoffMinNs > options.backoffMaxNs) {
            throw new TransportException(
                    "option rdma.backoff-min is longer than rdma.backoff-max: make it at most "
                            + SystemUtil.formatDuration(options.backoffMaxNs));
        }
        return options;
    }

    /** The properties of this side's end of a connection, where no channel says otherwise. */
    public ConnectionOptions connection() {
        return new ConnectionOptions(
                sendDepth,
                receiveDepth,
                MESSAGE_LENGTH,
                MAX_INLINE,
                retryCount,
                rnrRetryCount,
                ackTimeout,
                trafficClass,
                pathMtu,
                device);
    }

    private static int ackTimeout(TransportSettings host) {
        String text = host.option("rdma.ack-timeout", "14");
        int exponent = FabricSettings.ackTimeoutExponent(text);
        if (exponent < 0) {
            throw wrong("ack-timeout", text, FabricSettings.RIGHT_ACK_TIMEOUT, null);
        }
        return exponent;
    }

    private static int pathMtu(TransportSettings host) {
        String text = host.option("rdma.path-mtu", ANY);
        if (text.equals(ANY)) {
            return ConnectionOptions.ANY;
        }
        if (!FabricSettings.isPathMtu(text)) {
            throw wrong("path-mtu", text, "256, 512, 1024, 2048, 4096 or any", null);
        }
        return Integer.parseInt(text);
    }

    private static String device(TransportSettings host) {
        String text = host.option("rdma.device", ANY);
        if (text.isBlank()) {
            throw wrong("device", text, "the name of an RDMA device, or any", null);
        }
        return text.equals(ANY) ? null : text;
    }

    private static String linkLayer(TransportSettings host) {
        String text = host.option("rdma.link-layer", ANY);
        return switch (text) {
            case ANY -> null;
            case "infiniband" -> PathAdvice.INFINIBAND;
            case "ethernet" -> PathAdvice.ETHERNET;
            default -> throw wrong("link-layer", text, "infiniband, ethernet or any", null);
        };
    }

    private static int countOrAny(TransportSettings host, String name, int min, int max) {
        return host.option("rdma." + name, ANY).equals(ANY)
                ? ConnectionOptions.ANY
                : count(host, name, ANY, min, max);
    }

    private static int count(TransportSettings host, String name, String preset, int min, int max) {
        String text = host.option("rdma." + name, preset);
        try {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException notNumber) {
            throw wrong(name, text, "a number from " + min + " to " + max, notNumber);
        }
        throw wrong(name, text, "a number from " + min + " to " + max, null);
    }

    private static long size(
            TransportSettings host, String name, String preset, long min, long max) {
        String text = host.option("rdma." + name, preset);
        String right = SystemUtil.formatSize(min) + " to " + SystemUtil.formatSize(max);
        try {
            long value = SystemUtil.parseSize(name, text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException notSize) {
            throw wrong(name, text, "from " + right, notSize);
        }
        throw wrong(name, text, "from " + right, null);
    }

    private static long duration(
            TransportSettings host, String name, String preset, long min, long max) {
        String text = host.option("rdma." + name, preset);
        String right = SystemUtil.formatDuration(min) + " to " + SystemUtil.formatDuration(max);
        try {
            long value = SystemUtil.parseDuration(name, text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException notDuration) {
            throw wrong(name, text, "from " + right, notDuration);
        }
        throw wrong(name, text, "from " + right, null);
    }

    private static TransportException wrong(
            String name, String text, String right, Throwable cause) {
        return new TransportException(
                "option rdma." + name + " is '" + text + "': it must be " + right, cause);
    }
}
