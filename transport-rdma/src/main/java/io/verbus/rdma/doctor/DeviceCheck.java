// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.fabric.KernelFiles;
import io.verbus.rdma.fabric.TransportType;
import io.verbus.rdma.verbs.DeviceInfo;
import io.verbus.rdma.verbs.VerbsException;

import java.util.List;

/** Checks which devices exist, and whether one of their ports can carry a remote log. */
final class DeviceCheck {
    private static final String AREA = "devices";
    static final String SYSFS = KernelFiles.DEVICES_PATH;

    private DeviceCheck() {}

    /** Returns the area of findings on one device. */
    static String area(DeviceInfo device) {
        return "device " + device.name();
    }

    /** Returns the devices, including unusable ones. */
    static List<DeviceInfo> examine(Host host, Findings findings) {
        List<DeviceInfo> devices = list(host, findings);
        boolean anyUsable =
                devices.stream()
                        .anyMatch(
                                device ->
                                        device.ports().stream()
                                                .anyMatch(port -> isUsable(host, device, port)));
        for (DeviceInfo device : devices) {
            examineProvider(host, device, anyUsable, findings);
            if (device.transport() != TransportType.UNORDERED) {
                for (DeviceInfo.Port port : device.ports()) {
                    new PortCheck(host, device, port, anyUsable, findings).examine();
                }
            }
        }
        return devices;
    }

    private static boolean isUsable(Host host, DeviceInfo device, DeviceInfo.Port port) {
        return device.transport() != TransportType.UNORDERED
                && port.active()
                && new GidCheck(host, device, port, true, new Findings()).examine();
    }

    private static List<DeviceInfo> list(Host host, Findings findings) {
        List<String> inKernel = host.files().list(SYSFS);
        List<DeviceInfo> devices;
        try {
            devices = host.calls().devices();
        } catch (VerbsException refused) {
            findings.error(
                    AREA,
                    refused.getMessage(),
                    "fix this first: devices cannot be examined until then");
            return List.of();
        }
        List<String> unseen =
                inKernel.stream()
                        .filter(name -> devices.stream().noneMatch(d -> d.name().equals(name)))
                        .toList();
        if (!unseen.isEmpty()) {
            findings.error(
                    AREA,
                    "the kernel has "
                            + String.join(", ", unseen)
                            + ", but libibverbs does not support it",
                    "install the package ibverbs-providers (Debian, Ubuntu) or rdma-core; in a"
                            + " container, also pass /dev/infiniband");
        } else if (devices.isEmpty()) {
            findings.error(
                    AREA,
                    "this host has no RDMA device",
                    "load the driver of its RDMA NIC; or create a software device on an "
                            + "interface that is up: `modprobe rdma_rxe && rdma link add rxe0 "
                            + "type rxe"
                            + " netdev IFACE`; or use `verbus lab`");
        } else {
            findings.ok(AREA, String.join(", ", devices.stream().map(DeviceInfo::name).toList()));
        }
        return devices;
    }

    private static void examineProvider(
            Host host, DeviceInfo device, boolean anyUsable, Findings findings) {
        String driver = host.files().target(SYSFS + "/" + device.name() + "/device/driver");
        String firmware = device.firmware().isEmpty() ? "" : ", firmware " + device.firmware();
        String text =
                device.name() + (driver.isEmpty() ? "" : " is driven by " + driver + firmware);
        if (device.transport() == TransportType.UNORDERED) {
            String refusal =
                    device.name()
                            + " does not keep writes in order, which remote logs require, so Verbus"
                            + " rejects the device (as it does EFA's SRD)";
            String remedy = "use an InfiniBand, RoCE or iWARP device";
            if (anyUsable) {
                findings.warning(area(device), refusal, remedy);
            } else {
                findings.error(area(device), refusal, remedy);
            }
        } else if (device.software()) {
            findings.warning(
                    area(device),
                    device.name()
                            + " is a software device: each post is a system call, and the CPU"
                            + " copies the data",
                    "use an RDMA NIC where latency matters");
        } else if (driver.startsWith("mlx5")) {
            WriteOrderCheck.examine(host, device, text, findings);
        } else {
            findings.ok(area(device), driver.isEmpty() ? text + " is not a software device" : text);
        }
    }
}
