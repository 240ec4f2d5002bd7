// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.fabric.TransportType;
import io.verbus.rdma.verbs.DeviceInfo;

import java.util.ArrayList;
import java.util.List;

/**
 * Checks PFC and ECN (DCQCN) of RoCE adapters, as far as the driver shows them in sysfs; the kernel
 * itself reports them only by netlink.
 */
final class FlowControlCheck {
    private FlowControlCheck() {}

    static void examine(Host host, DeviceInfo device, Findings findings) {
        if (device.transport() != TransportType.INFINIBAND || device.software()) {
            return;
        }
        for (DeviceInfo.Port port : device.ports()) {
            if (port.active() && port.linkLayer().equals("Ethernet")) {
                for (String netdev : Interfaces.of(host, device, port)) {
                    examinePfc(host.files(), device, netdev, findings);
                    examineEcn(host.files(), device, netdev, findings);
                }
            }
        }
    }

    private static void examinePfc(
            FileTree files, DeviceInfo device, String netdev, Findings findings) {
        String area = DeviceCheck.area(device);
        String priorities = files.read("/sys/class/net/" + netdev + "/qos/pfc");
        if (priorities.isEmpty()) {
            findings.warning(
                    area,
                    "cannot read the priority flow control (PFC) settings of " + netdev,
                    "run `dcb pfc"
                            + " show dev %s` and `ethtool -S %s | grep pause`"
                                    .formatted(netdev, netdev));
        } else if (priorities.indexOf('1') < 0) {
            findings.warning(
                    area,
                    "priority flow control (PFC) of " + netdev + " is off",
                    "enable PFC for the bus's priority on this host and on the switches, for"
                            + " example with `dcb pfc set dev "
                            + netdev
                            + " prio-pfc 3:on`, unless the fabric is lossless without PFC");
        } else {
            findings.ok(
                    area,
                    "priority flow control (PFC) of %s is %s (priorities 0 to 7)"
                            .formatted(netdev, priorities.replaceAll("\\s+", " ")));
        }
    }

    private static void examineEcn(
            FileTree files, DeviceInfo device, String netdev, Findings findings) {
        String area = DeviceCheck.area(device);
        String ecn = "/sys/class/net/" + netdev + "/ecn";
        List<String> reacts = enabled(files, ecn + "/roce_rp/enable");
        List<String> notifies = enabled(files, ecn + "/roce_np/enable");
        if (!files.exists(ecn + "/roce_rp") || !files.exists(ecn + "/roce_np")) {
            findings.warning(
                    area,
                    "cannot read the congestion control (ECN, DCQCN) settings of " + netdev,
                    "check the settings with the adapter's own tools, and check that the switches"
                            + " mark packets with ECN");
        } else if (reacts.isEmpty() || notifies.isEmpty()) {
            findings.warning(
                    area,
                    "congestion control (ECN, DCQCN) of " + netdev + " is off",
                    "write 1 to %s/roce_rp/enable/PRIORITY and %s/roce_np/enable/PRIORITY"
                            .formatted(ecn, ecn));
        } else {
            findings.ok(
                    area,
                    "congestion control (ECN, DCQCN) of %s: reacts at priorities %s, notifies at %s"
                            .formatted(
                                    netdev, String.join(" ", reacts), String.join(" ", notifies)));
        }
    }

    private static List<String> enabled(FileTree files, String folder) {
        List<String> priorities = new ArrayList<>();
        for (String priority : files.list(folder)) {
            if (files.read(folder + "/" + priority).equals("1")) {
                priorities.add(priority);
            }
        }
        return priorities;
    }
}
