// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import org.agrona.SystemUtil;

import java.util.Map;
import java.util.OptionalInt;

/**
 * The settings of a channel for an RDMA fabric. The driver chooses those that are empty.
 *
 * @param device {@code device}: name of the RDMA device that must carry the channel; null for any.
 * @param trafficClass {@code traffic-class}, or {@code dscp} times four: traffic class of the
 *     packets, by which switches prioritise them.
 * @param pathMtu {@code path-mtu}: payload in bytes that packets must be able to carry; a
 *     connection over a path with another MTU is rejected.
 * @param ackTimeout {@code ack-timeout}: exponent of the time to wait for an acknowledgement, 4.096
 *     us * 2^n. The text is the exponent, or a duration that is rounded up to the next exponent.
 * @param retryCount {@code retry-count}: number of transport retries before a connection fails.
 * @param rnrRetryCount {@code rnr-retry-count}: number of retries while the peer has no receive
 *     posted; 7 retries forever.
 */
public record FabricSettings(
        String device,
        OptionalInt trafficClass,
        OptionalInt pathMtu,
        OptionalInt ackTimeout,
        OptionalInt retryCount,
        OptionalInt rnrRetryCount) {
    /** Describes a valid acknowledgement timeout. */
    public static final String RIGHT_ACK_TIMEOUT =
            "an exponent n from 1 to 31, which means 4.096 us * 2^n, or a duration of at most"
                    + " 8796s, such as 14 or 67ms";

    /** Largest exponent of an acknowledgement timeout. */
    static final int MAX_EXPONENT = 31;

    static FabricSettings of(Map<ChannelKey, Object> values) {
        OptionalInt dscp = ChannelKey.DSCP.number(values);
        return new FabricSettings(
                (String) values.get(ChannelKey.DEVICE),
                dscp.isPresent()
                        ? OptionalInt.of(dscp.getAsInt() << 2)
                        : ChannelKey.TRAFFIC_CLASS.number(values),
                ChannelKey.PATH_MTU.number(values),
                ChannelKey.ACK_TIMEOUT.number(values),
                ChannelKey.RETRY_COUNT.number(values),
                ChannelKey.RNR_RETRY_COUNT.number(values));
    }

    /**
     * Returns whether a channel with these settings can share a resource created for another: all
     * that are set here must be equal there.
     *
     * @param other settings of the channel for which the resource was created.
     */
    public boolean isWithin(FabricSettings other) {
        return (device == null || device.equals(other.device))
                && (trafficClass.isEmpty() || trafficClass.equals(other.trafficClass))
                && (pathMtu.isEmpty() || pathMtu.equals(other.pathMtu))
                && (ackTimeout.isEmpty() || ackTimeout.equals(other.ackTimeout))
                && (retryCount.isEmpty() || retryCount.equals(other.retryCount))
                && (rnrRetryCount.isEmpty() || rnrRetryCount.equals(other.rnrRetryCount));
    }

    /** Returns whether a text is a valid path MTU. */
    public static boolean isPathMtu(String text) {
        return switch (text) {
            case "256", "512", "1024", "2048", "4096" -> true;
            default -> false;
        };
    }

    /**
     * Parses an acknowledgement timeout.
     *
     * @param text the exponent itself, or a duration with its unit.
     * @return the exponent whose time is at least as long; -1 if the text is invalid.
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
            return -1; // too large for a long
        }
        int exponent = 1;
        while (exponent <= MAX_EXPONENT && ackTimeoutNs(exponent) < ns) {
            exponent++;
        }
        return ns > 0 && exponent <= MAX_EXPONENT ? exponent : -1;
    }

    /** Returns an acknowledgement timeout in nanoseconds. */
    public static long ackTimeoutNs(int exponent) {
        return 4096L << exponent;
    }
}
