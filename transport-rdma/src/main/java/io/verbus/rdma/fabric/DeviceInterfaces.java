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

/** The network interfaces beside RDMA devices, as {@code /sys/class/infiniband} tells them. */
public final class DeviceInterfaces {
    private static final int HARDWARE_ADDRESS_LENGTH = 6;

    private DeviceInterfaces() {}

    /**
     * Names the interfaces of all devices.
     *
     * @param devices folder of the devices, which may be absent.
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
     * Names the interfaces of a port: RoCE names the interface at each GID, InfiniBand has it
     * beside the device, and the first GID of an iWARP device begins with the interface's hardware
     * address.
     *
     * @param device folder of the device.
     * @param port folder of the port.
     * @throws IOException if they cannot be listed.
     */
    public static SortedSet<String> of(Path device, Path port) throws IOException {
        SortedSet<String> names = new TreeSet<>();
        for (Path file : entries(port.resolve("gid_attrs/ndevs"))) {
            try {
                names.add(Files.readString(file).strip());
            } catch (IOException e) {
                // The kernel refuses to read the entries of the GID table that are not in use.
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

    /** What a folder holds, in the order of names; nothing if it is absent. */
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
