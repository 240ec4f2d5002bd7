// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import io.verbus.transport.Networks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/** The subnets that this host's addresses are in, as the system has them. Any thread. */
public final class DeviceSubnets {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    private DeviceSubnets() {}

    /**
     * The subnets of the network interfaces beside RDMA ports, without those of one address.
     *
     * @return the subnets; null where there is no such interface.
     */
    public static Networks find() {
        Networks subnets = null;
        for (String name : interfaces()) {
            subnets = subnets == null ? Networks.NONE : subnets;
            for (InterfaceAddress each : addresses(name)) {
                int bits = each.getNetworkPrefixLength();
                if (bits > 0 && bits < each.getAddress().getAddress().length * Byte.SIZE) {
                    subnets = subnets.and(Networks.subnet(each.getAddress(), bits));
                }
            }
        }
        return subnets;
    }

    /** Names of the interfaces that the ports' GIDs belong to. */
    private static SortedSet<String> interfaces() {
        SortedSet<String> names = new TreeSet<>();
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(DEVICES)) {
            for (Path device : devices) {
                try (DirectoryStream<Path> ports =
                        Files.newDirectoryStream(device.resolve("ports"))) {
                    for (Path port : ports) {
                        addInterfaces(port.resolve("gid_attrs/ndevs"), names);
                    }
                }
            }
        } catch (IOException | UncheckedIOException noDevices) {
            // There is no RDMA here, or its devices went away: whoever opens it is told.
        }
        return names;
    }

    private static void addInterfaces(Path folder, SortedSet<String> names) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                try {
                    names.add(Files.readString(file).strip());
                } catch (IOException unused) {
                    // The entry of the GID table holds none.
                }
            }
        }
    }

    private static Iterable<InterfaceAddress> addresses(String name) {
        try {
            NetworkInterface named = NetworkInterface.getByName(name);
            return named == null ? Collections.emptyList() : named.getInterfaceAddresses();
        } catch (IOException gone) {
            return Collections.emptyList();
        }
    }

    /** Bits that an address of this host has in common with its subnet; 0 if it is none. */
    public static int prefixLength(InetAddress address) {
        try {
            NetworkInterface owner = NetworkInterface.getByInetAddress(address);
            if (owner != null) {
                for (InterfaceAddress each : owner.getInterfaceAddresses()) {
                    if (address.equals(each.getAddress())) {
                        return each.getNetworkPrefixLength();
                    }
                }
            }
            return 0;
        } catch (IOException gone) {
            return 0;
        }
    }
}
