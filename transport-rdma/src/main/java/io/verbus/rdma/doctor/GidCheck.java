// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.rdma.fabric.TransportType;
import io.verbus.rdma.verbs.DeviceInfo;
import io.verbus.rdma.verbs.DeviceInfo.Gid;

import java.net.InetAddress;
import java.util.List;

/**
 * Checks which GID rdma_cm uses for the addresses of a port's network interfaces: the entry with
 * the address and the port's RoCE mode. InfiniBand and iWARP only need an address.
 */
final class GidCheck {
    private static final String V1 = PathAdvice.ROCE_V1;
    private static final String V2 = PathAdvice.ROCE_V2;

    private final Host host;
    private final DeviceInfo device;
    private final DeviceInfo.Port port;
    private final boolean anyUsable;
    private final Findings findings;
    private final String area;
    private final String name;
    private boolean isUsable;

    /**
     * @param anyUsable whether some port of this host is usable, as in {@link PortCheck}.
     */
    GidCheck(
            Host host,
            DeviceInfo device,
            DeviceInfo.Port port,
            boolean anyUsable,
            Findings findings) {
        this.host = host;
        this.device = device;
        this.port = port;
        this.anyUsable = anyUsable;
        this.findings = findings;
        area = DeviceCheck.area(device);
        name = PortCheck.name(device, port);
    }

    /** Checks the GIDs; returns whether any address leads to the port. */
    boolean examine() {
        boolean roce =
                device.transport() == TransportType.INFINIBAND
                        && port.linkLayer().equals("Ethernet");
        String mode = mode();
        if (roce && !mode.equals(V2)) {
            findings.warning(
                    area,
                    name + " connects over " + mode + ", which routers do not forward",
                    setMode());
        }
        for (String netdev : Interfaces.of(host, device, port)) {
            List<InetAddress> addresses = Interfaces.addresses(host, netdev);
            for (InetAddress address : addresses) {
                if (roce) {
                    examineAddress(netdev, address, mode);
                } else {
                    isUsable = true;
                    findings.ok(
                            area,
                            "%s has the address %s of %s"
                                    .formatted(name, address.getHostAddress(), netdev));
                }
            }
            if (roce) {
                examineEntries(netdev, addresses);
            }
        }
        if (!isUsable) {
            unusable();
        }
        return isUsable;
    }

    /** Returns the RoCE mode of connections: v2 if available, unless configured otherwise. */
    private String mode() {
        String set =
                host.files()
                        .read(
                                PathAdvice.configuration(device.name())
                                        + "/"
                                        + PathAdvice.roceMode(port.number()));
        if (!set.isEmpty()) {
            return set;
        }
        return port.gids().stream().map(Gid::type).filter(V2::equals).findAny().orElse(V1);
    }

    private String setMode() {
        return PathAdvice.useRoceV2(device.name(), port.number());
    }

    private void examineAddress(String netdev, InetAddress address, String mode) {
        List<Gid> entries =
                port.gids().stream()
                        .filter(gid -> gid.netdev().equals(netdev) || gid.netdev().isEmpty())
                        .filter(gid -> address.equals(gid.inetAddress()))
                        .toList();
        List<Gid> used = entries.stream().filter(gid -> gid.type().equals(mode)).toList();
        String text = address.getHostAddress() + " of " + netdev;
        if (!used.isEmpty()) {
            isUsable = true;
            findings.ok(
                    area,
                    "%s uses GID %d (%s) for %s"
                            .formatted(
                                    name, used.getFirst().index(), used.getFirst().type(), text));
        } else if (!entries.isEmpty()) {
            findings.warning(
                    area,
                    "%s lists %s only as GID %d (%s), but its connections use %s"
                            .formatted(
                                    name,
                                    text,
                                    entries.getFirst().index(),
                                    entries.getFirst().type(),
                                    mode),
                    setMode());
        } else {
            findings.warning(
                    area,
                    name + " has no GID for " + text + ", so no connection can use that address",
                    "take the link of " + netdev + " down and up again to rebuild the GID table");
        }
    }

    /** Reports entries without an address of the interface, such as stale ones. */
    private void examineEntries(String netdev, List<InetAddress> addresses) {
        for (Gid gid : port.gids()) {
            InetAddress address = gid.inetAddress();
            if (gid.netdev().equals(netdev)
                    && address != null
                    && !address.isLinkLocalAddress()
                    && !addresses.contains(address)) {
                findings.warning(
                        area,
                        "%s has GID %d for %s, which is not an address of %s"
                                .formatted(name, gid.index(), address.getHostAddress(), netdev),
                        "take the link of "
                                + netdev
                                + " down and up again, or run in the device's network namespace");
            }
        }
    }

    private void unusable() {
        String netdev = String.join(", ", Interfaces.of(host, device, port));
        boolean linkLocal =
                port.linkLayer().equals("Ethernet")
                        && !port.gids().isEmpty()
                        && port.gids().stream()
                                .map(Gid::inetAddress)
                                .allMatch(gid -> gid != null && gid.isLinkLocalAddress());
        String text =
                linkLocal
                        ? name + " has only link-local GIDs (fe80::), which reach no other host"
                        : name + " has no address to connect to";
        String remedy =
                netdev.isEmpty()
                        ? "load ib_ipoib for InfiniBand, or bring the device's network interface"
                                + " up, and give the interface an address"
                        : "`ip addr add ADDRESS/PREFIX dev " + netdev + "`";
        if (anyUsable) {
            findings.warning(area, text, remedy);
        } else {
            findings.error(area, text, remedy);
        }
    }
}
