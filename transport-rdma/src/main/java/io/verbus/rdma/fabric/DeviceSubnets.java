// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import io.verbus.transport.Networks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.Collections;

/** Determines the subnets of this host's addresses from the system. Thread-safe. */
public final class DeviceSubnets {
    private DeviceSubnets() {}

    /**
     * Returns the subnets of the network interfaces of RDMA ports, except subnets of a single
     * address.
     *
     * @return the subnets; null if there is no such interface.
     */
    public static Networks find() {
        try {
            return find(KernelFiles.DEVICES);
        } catch (IOException gone) {
            return null; // devices disappeared in the meantime: opening one reports it
        }
    }

    /**
     * Like {@link #find()}, but for the devices of a directory.
     *
     * @param devices directory of the devices.
     * @throws IOException if they cannot be listed.
     */
    static Networks find(Path devices) throws IOException {
        Networks subnets = null;
        for (String name : DeviceInterfaces.of(devices)) {
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

    private static Iterable<InterfaceAddress> addresses(String name) {
        try {
            NetworkInterface named = NetworkInterface.getByName(name);
            return named == null ? Collections.emptyList() : named.getInterfaceAddresses();
        } catch (IOException gone) {
            return Collections.emptyList();
        }
    }

    /** Returns the subnet prefix length of a local address; 0 if the address is not local. */
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
