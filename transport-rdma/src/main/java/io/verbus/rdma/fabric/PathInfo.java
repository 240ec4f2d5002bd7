// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetAddress;

/**
 * The path of an established connection, as the device tells it.
 *
 * @param device name, as {@code ibv_devices} prints it.
 * @param port of the device, from 1.
 * @param isIwarp whether TCP carries the connection: it has neither GID nor path MTU of its own.
 * @param linkLayer {@code InfiniBand}, {@code Ethernet}, or what else the port says.
 * @param netdev network interface of the GID; empty if unknown.
 * @param gidType as sysfs names it, such as {@link PathAdvice#ROCE_V2}; empty if unknown.
 * @param gid address in the GID that the connection uses; null if unknown.
 * @param pathMtu bytes of a packet's payload; 0 where it is not the connection's own.
 * @param maxMtu bytes that the port could carry in a packet.
 * @param trafficClass of the packets.
 * @param ackTimeout exponent in use.
 * @param retryCount in use.
 * @param rnrRetryCount in use.
 * @param order in which this side's adapter places what the peer writes.
 */
public record PathInfo(
        String device,
        int port,
        boolean isIwarp,
        String linkLayer,
        String netdev,
        String gidType,
        InetAddress gid,
        int pathMtu,
        int maxMtu,
        int trafficClass,
        int ackTimeout,
        int retryCount,
        int rnrRetryCount,
        Order order) {
    /** What is known of the order in which writes are placed. */
    public enum Order {
        /** The device says that it places them in the order in which they were posted. */
        KEPT,

        /** Nobody has told. */
        UNKNOWN,

        /** Devices of its kind may place a later write before an earlier one. */
        DOUBTFUL
    }

    /** Whether the device tells the path of a connection. */
    public boolean isKnown() {
        return isIwarp || pathMtu > 0;
    }

    /** Whether InfiniBand's transport runs over Ethernet. */
    public boolean isRoce() {
        return !isIwarp && linkLayer.equals(PathAdvice.ETHERNET);
    }
}
