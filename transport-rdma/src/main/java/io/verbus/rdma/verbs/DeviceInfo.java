// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.TransportType;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;

/**
 * A snapshot of an RDMA device of this host.
 *
 * @param name device name, as {@code ibv_devices} prints it.
 * @param transport transport that its verbs use.
 * @param software whether the kernel emulates it (rdma_rxe, siw).
 * @param firmware firmware version; empty if the device has none.
 * @param numaNode NUMA node of the device, -1 if unknown.
 * @param ports ports, ordered by number.
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
     * @param number port number, from 1.
     * @param state port state, such as {@code ACTIVE} or {@code DOWN}.
     * @param linkLayer {@code InfiniBand} or {@code Ethernet}.
     * @param activeMtu current MTU in bytes.
     * @param maxMtu maximum MTU in bytes.
     * @param gids GIDs that are set, ordered by index.
     */
    public record Port(
            int number, String state, String linkLayer, int activeMtu, int maxMtu, List<Gid> gids) {
        /** Returns whether traffic can pass. */
        public boolean active() {
            return state.equals("ACTIVE");
        }
    }

    /**
     * An entry of a port's GID table.
     *
     * @param index index in the table.
     * @param address address, as sysfs prints it.
     * @param type GID type, such as {@code RoCE v2}; empty if unknown.
     * @param netdev network interface of the GID; empty if none.
     */
    public record Gid(int index, String address, String type, String netdev) {
        /**
         * Returns the address, as an IPv4 address if it is IPv4-mapped; null if it cannot be
         * parsed.
         */
        public InetAddress inetAddress() {
            try {
                // Sixteen bytes with a mapped IPv4 address yield an Inet4Address.
                return InetAddress.getByAddress(HexFormat.of().parseHex(address.replace(":", "")));
            } catch (IllegalArgumentException | UnknownHostException noAddress) {
                return null;
            }
        }
    }
}
