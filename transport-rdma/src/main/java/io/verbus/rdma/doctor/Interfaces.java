// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.verbs.DeviceInfo;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;

/** Finds the network interfaces of a port; rdma_cm finds the port by their addresses. */
final class Interfaces {
    private Interfaces() {}

    /** Returns the names of the interfaces, from the best source that has any. */
    static SequencedSet<String> of(Host host, DeviceInfo device, DeviceInfo.Port port) {
        SequencedSet<String> names = new LinkedHashSet<>();
        for (DeviceInfo.Gid gid : port.gids()) {
            if (!gid.netdev().isEmpty()) {
                names.add(gid.netdev());
            }
        }
        FileTree files = host.files();
        String sysfs = DeviceCheck.SYSFS + "/" + device.name();
        if (names.isEmpty()) {
            for (String name : files.list(sysfs + "/device/net")) {
                // Interfaces of a PCI function count their ports from 0.
                long devPort = files.number("/sys/class/net/" + name + "/dev_port");
                if (device.ports().size() == 1 || devPort == port.number() - 1) {
                    names.add(name);
                }
            }
        }
        if (names.isEmpty() && !files.read(sysfs + "/parent").isEmpty()) {
            names.add(files.read(sysfs + "/parent"));
        }
        if (names.isEmpty()) {
            names.addAll(withHardwareAddressOf(files, port));
        }
        return names;
    }

    /** Finds interfaces by their Ethernet address, with which the GIDs of iWARP devices begin. */
    private static List<String> withHardwareAddressOf(FileTree files, DeviceInfo.Port port) {
        List<String> names = new ArrayList<>();
        for (String name : files.list("/sys/class/net")) {
            String address = files.read("/sys/class/net/" + name + "/address").replace(":", "");
            if (address.length() == 12
                    && port.gids().stream()
                            .anyMatch(gid -> gid.address().replace(":", "").startsWith(address))) {
                names.add(name);
            }
        }
        return names;
    }

    /** Returns the addresses that a channel can name, which excludes link-local ones. */
    static List<InetAddress> addresses(Host host, String name) {
        return host.calls().addresses(name).stream()
                .filter(address -> !address.isLinkLocalAddress())
                .toList();
    }
}
