// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.net.InetAddress;

/**
 * The path of an established connection, as reported by the device.
 *
 * @param device device name, as {@code ibv_devices} prints it.
 * @param port port of the device, from 1.
 * @param isIwarp whether TCP carries the connection, which then has neither GID nor path MTU.
 * @param linkLayer {@code InfiniBand}, {@code Ethernet}, or another value reported by the port.
 * @param netdev network interface of the GID; empty if unknown.
 * @param gidType type in sysfs, such as {@link PathAdvice#ROCE_V2}; empty if unknown.
 * @param gid address in the GID of the connection; null if unknown.
 * @param pathMtu payload bytes of a packet; 0 if the connection has no MTU of its own.
 * @param maxMtu maximum payload bytes that the port supports.
 * @param trafficClass traffic class of the packets.
 * @param ackTimeout effective exponent of the acknowledgement time-out.
 * @param retryCount effective number of retries.
 * @param rnrRetryCount effective number of retries while no receive is posted.
 * @param order order in which the local adapter places the peer's writes.
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
    /** Knowledge about the order in which writes are placed. */
    public enum Order {
        /** The device reports that it places writes in posting order. */
        KEPT,

        /** The device does not report the order. */
        UNKNOWN,

        /** Devices of this kind may place a later write before an earlier one. */
        DOUBTFUL
    }

    /** Returns whether the device reports the path of a connection. */
    public boolean isKnown() {
        return isIwarp || pathMtu > 0;
    }

    /** Returns whether the InfiniBand transport runs over Ethernet. */
    public boolean isRoce() {
        return !isIwarp && linkLayer.equals(PathAdvice.ETHERNET);
    }
}
