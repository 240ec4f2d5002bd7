// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import org.agrona.SystemUtil;

import java.util.Map;
import java.util.OptionalInt;

/**
 * What a channel asks of an RDMA fabric; what it does not say is the driver's choice.
 *
 * @param device {@code device}: name of the RDMA device that must carry the channel; null for any.
 * @param trafficClass {@code traffic-class}, or {@code dscp} times four: of the packets, so that
 *     switches treat them apart from others.
 * @param pathMtu {@code path-mtu}: bytes that a packet must carry; a connection over another path
 *     is refused.
 * @param ackTimeout {@code ack-timeout}: exponent of the time that an acknowledgement may take,
 *     4.096 us * 2^n. The text is the exponent, or a duration of which the next longer is taken.
 * @param retryCount {@code retry-count}: transport retries before a connection fails.
 * @param rnrRetryCount {@code rnr-retry-count}: retries while the peer has no receive posted; 7 is
 *     without end.
 */
public record FabricSettings(
        String device,
        OptionalInt trafficClass,
        OptionalInt pathMtu,
        OptionalInt ackTimeout,
        OptionalInt retryCount,
        OptionalInt rnrRetryCount) {
    /** What an acknowledgement timeout must be, in words. */
    public static final String RIGHT_ACK_TIMEOUT =
            "from 1 to 31, an exponent of 4.096 us * 2^n, or a duration of at most 8796s, such as"
                    + " 14 or 67ms";

    private static final int MAX_EXPONENT = 31;

    static FabricSettings of(Map<ChannelKey, Object> values) {
        OptionalInt dscp = number(values, ChannelKey.DSCP);
        return new FabricSettings(
                (String) values.get(ChannelKey.DEVICE),
                dscp.isPresent()
                        ? OptionalInt.of(dscp.getAsInt() << 2)
                        : number(values, ChannelKey.TRAFFIC_CLASS),
                number(values, ChannelKey.PATH_MTU),
                number(values, ChannelKey.ACK_TIMEOUT),
                number(values, ChannelKey.RETRY_COUNT),
                number(values, ChannelKey.RNR_RETRY_COUNT));
    }

    private static OptionalInt number(Map<ChannelKey, Object> values, ChannelKey key) {
        return values.get(key) instanceof Integer value
                ? OptionalInt.of(value)
                : OptionalInt.empty();
    }

    /**
     * Whether a channel that asks for this can share what was made for another. What it does not
     * ask for it takes as it is.
     *
     * @param other what the other has asked for.
     */
    public boolean isWithin(FabricSettings other) {
        return (device == null || device.equals(other.device))
                && (trafficClass.isEmpty() || trafficClass.equals(other.trafficClass))
                && (pathMtu.isEmpty() || pathMtu.equals(other.pathMtu))
                && (ackTimeout.isEmpty() || ackTimeout.equals(other.ackTimeout))
                && (retryCount.isEmpty() || retryCount.equals(other.retryCount))
                && (rnrRetryCount.isEmpty() || rnrRetryCount.equals(other.rnrRetryCount));
    }

    /** Whether a text is one of the MTUs that packets can have. */
    public static boolean isPathMtu(String text) {
        return switch (text) {
            case "256", "512", "1024", "2048", "4096" -> true;
            default -> false;
        };
    }

    /**
     * The exponent of a time that an acknowledgement may take.
     *
     * @param text the exponent itself, or a duration with its unit.
     * @return the exponent whose time is that long or the next longer, or -1 if the text is wrong.
     */
    public static int ackTimeoutExponent(String text) {
        if (text.matches("[0-9]{1,2}")) {
            int exponent = Integer.parseInt(text);
            return exponent >= 1 && exponent <= MAX_EXPONENT ? exponent : -1;
        }
        if (!text.matches("[0-9]{1,11}(ns|us|ms|s)")) {
            return -1;
        }
        long ns;
        try {
            ns = SystemUtil.parseDuration("ack-timeout", text);
        } catch (NumberFormatException tooLong) {
            return -1; // too long even for a long
        }
        int exponent = 1;
        while (exponent <= MAX_EXPONENT && ackTimeoutNs(exponent) < ns) {
            exponent++;
        }
        return ns > 0 && exponent <= MAX_EXPONENT ? exponent : -1;
    }

    /** Nanoseconds of an acknowledgement timeout. */
    public static long ackTimeoutNs(int exponent) {
        return 4096L << exponent;
    }
}
