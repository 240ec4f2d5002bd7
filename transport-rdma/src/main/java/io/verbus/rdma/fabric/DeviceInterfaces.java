// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** Finds the network interfaces of RDMA devices in {@code /sys/class/infiniband}. */
public final class DeviceInterfaces {
    private static final int HARDWARE_ADDRESS_LENGTH = 6;

    private DeviceInterfaces() {}

    /**
     * Returns the names of the interfaces of all devices.
     *
     * @param devices directory of the devices; may be absent.
     * @throws IOException if they cannot be listed.
     */
    public static SortedSet<String> of(Path devices) throws IOException {
        SortedSet<String> names = new TreeSet<>();
        for (Path device : entries(devices)) {
            for (Path port : entries(device.resolve("ports"))) {
                names.addAll(of(device, port));
            }
        }
        return names;
    }

    /**
     * Returns the names of a port's interfaces: RoCE lists the interface of each GID, InfiniBand
     * lists it at the device, and the first GID of an iWARP device begins with the interface's
     * hardware address.
     *
     * @param device directory of the device.
     * @param port directory of the port.
     * @throws IOException if they cannot be listed.
     */
    public static SortedSet<String> of(Path device, Path port) throws IOException {
        SortedSet<String> names = new TreeSet<>();
        for (Path file : entries(port.resolve("gid_attrs/ndevs"))) {
            try {
                names.add(Files.readString(file).strip());
            } catch (IOException e) {
                // The kernel refuses to read unused entries of the GID table.
                continue;
            }
        }
        for (Path file : entries(device.resolve("device/net"))) {
            names.add(file.getFileName().toString());
        }
        Path type = device.resolve("node_type");
        if (names.isEmpty() && Files.isReadable(type) && Files.readString(type).contains("RNIC")) {
            addByHardwareAddress(Files.readString(port.resolve("gids/0")).strip(), names);
        }
        return names;
    }

    private static void addByHardwareAddress(String gid, SortedSet<String> names)
            throws IOException {
        String address = gid.replace(":", "").substring(0, 2 * HARDWARE_ADDRESS_LENGTH);
        for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            byte[] bytes = network.getHardwareAddress();
            if (bytes != null && HexFormat.of().formatHex(bytes).equals(address)) {
                names.add(network.getName());
            }
        }
    }

    /** Returns the entries of a directory sorted by name; empty if it is absent. */
    public static List<Path> entries(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
            stream.forEach(entries::add);
        }
        entries.sort(null);
        return entries;
    }
}
