// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.rdma.fabric.DeviceInterfaces;
import io.verbus.rdma.fabric.KernelFiles;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Active RDMA device of this host, with an IPv4 address of its network interface.
 *
 * @param device name of the device, such as {@code mlx5_0}.
 * @param address address in dotted decimal.
 * @param prefixLength prefix length of the address's subnet.
 */
record RdmaInterface(String device, String address, int prefixLength) {
    /**
     * Finds the interfaces that this process can use, ordered by device name; empty if there are
     * none.
     */
    static List<RdmaInterface> find() throws IOException {
        if (!Files.isReadable(KernelFiles.CONNECTION_MANAGER)) {
            return List.of();
        }
        return find(KernelFiles.DEVICES);
    }

    static List<RdmaInterface> find(Path devices) throws IOException {
        List<RdmaInterface> ports = new ArrayList<>();
        for (Path device : DeviceInterfaces.entries(devices)) {
            for (Path port : DeviceInterfaces.entries(device.resolve("ports"))) {
                if (isActive(port)) {
                    for (String interfaceName : DeviceInterfaces.of(device, port)) {
                        addAddress(device.getFileName().toString(), interfaceName, ports);
                    }
                }
            }
        }
        return List.copyOf(ports);
    }

    /** Returns whether both interfaces are in one subnet, so that packets need no router. */
    boolean isInSubnetOf(RdmaInterface other) throws IOException {
        int compared = Math.max(prefixLength, other.prefixLength);
        return compared == 0
                || (bits(address) ^ bits(other.address)) >>> (Integer.SIZE - compared) == 0;
    }

    private static int bits(String address) throws IOException {
        byte[] bytes = InetAddress.getByName(address).getAddress();
        return bytes[0] << 24 | (bytes[1] & 0xFF) << 16 | (bytes[2] & 0xFF) << 8 | bytes[3] & 0xFF;
    }

    /** Returns whether the port's state, such as {@code 4: ACTIVE}, is active. */
    private static boolean isActive(Path port) throws IOException {
        Path state = port.resolve("state");
        return Files.isReadable(state) && Files.readString(state).contains("ACTIVE");
    }

    private static void addAddress(String device, String interfaceName, List<RdmaInterface> ports)
            throws IOException {
        NetworkInterface network = NetworkInterface.getByName(interfaceName);
        if (network == null || !network.isUp()) {
            return;
        }
        for (InterfaceAddress bound : network.getInterfaceAddresses()) {
            InetAddress address = bound.getAddress();
            if (address instanceof Inet4Address && !address.isLinkLocalAddress()) {
                ports.add(
                        new RdmaInterface(
                                device, address.getHostAddress(), bound.getNetworkPrefixLength()));
                return;
            }
        }
    }
}
