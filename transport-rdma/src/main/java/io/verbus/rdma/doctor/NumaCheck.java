// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.verbs.DeviceInfo;

/** Checks that the process runs near the device. */
final class NumaCheck {
    private NumaCheck() {}

    static void examine(Host host, DeviceInfo device, Findings findings) {
        String area = DeviceCheck.area(device);
        FileTree files = host.files();
        int node = device.numaNode();
        CpuSet near = CpuSet.of(files.read("/sys/devices/system/node/node" + node + "/cpulist"));
        String own = files.field("/proc/self/status", "Cpus_allowed_list");
        CpuSet allowed = CpuSet.of(own);
        if (node < 0 || near.isEmpty() || allowed.isEmpty()) {
            findings.ok(area, device.name() + " has no known NUMA node");
        } else if (allowed.isWithin(near)) {
            findings.ok(
                    area,
                    "%s is on NUMA node %d, as are the CPUs of this process"
                            .formatted(device.name(), node));
        } else {
            findings.warning(
                    area,
                    "%s is on NUMA node %d, but this process may run on CPUs %s, %s"
                            .formatted(
                                    device.name(),
                                    node,
                                    own,
                                    allowed.intersects(near)
                                            ? "some of which are on another node"
                                            : "all of which are on another node"),
                    "start driver and clients with `numactl --cpunodebind=%d --membind=%d`"
                            .formatted(node, node));
        }
    }
}
