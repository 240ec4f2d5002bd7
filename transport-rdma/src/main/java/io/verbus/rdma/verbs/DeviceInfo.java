// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;

/**
 * An RDMA device of this host, as it was when it was asked.
 *
 * @param name as {@code ibv_devices} prints it.
 * @param transport what carries its verbs.
 * @param software whether the kernel plays it (rdma_rxe, siw).
 * @param firmware version, empty where there is none.
 * @param numaNode that it is attached to, -1 if unknown.
 * @param ports in order of their numbers.
 */
public record DeviceInfo(
        String name,
        TransportType transport,
        boolean software,
        String firmware,
        int numaNode,
        List<Port> ports) {
    /**
     * A port of a device.
     *
     * @param number from 1.
     * @param state as in {@code ACTIVE} or {@code DOWN}.
     * @param linkLayer {@code InfiniBand} or {@code Ethernet}.
     * @param activeMtu in bytes.
     * @param maxMtu in bytes.
     * @param gids that are set.
     */
    public record Port(
            int number, String state, String linkLayer, int activeMtu, int maxMtu, List<Gid> gids) {
        /** Whether traffic can pass. */
        public boolean active() {
            return state.equals("ACTIVE");
        }
    }

    /**
     * An entry of a port's GID table.
     *
     * @param index in the table.
     * @param address as sysfs prints it.
     * @param type as in {@code RoCE v2}, empty if unknown.
     * @param netdev network interface that it belongs to, empty if none.
     */
    public record Gid(int index, String address, String type, String netdev) {
        /** The address that it holds, an IPv4 address where one is mapped; or null. */
        public InetAddress inetAddress() {
            try {
                // Sixteen bytes with an IPv4 address mapped into them make an Inet4Address.
                return InetAddress.getByAddress(HexFormat.of().parseHex(address.replace(":", "")));
            } catch (IllegalArgumentException | UnknownHostException noAddress) {
                return null;
            }
        }
    }
}
