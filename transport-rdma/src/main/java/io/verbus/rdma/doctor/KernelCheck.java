// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import java.util.List;
import java.util.stream.Stream;

/** Checks that the kernel supports RDMA and lets programs use it. */
final class KernelCheck {
    private static final String AREA = "kernel";
    private static final String DEVICE_FOLDER = "/dev/infiniband";

    /** Modules of devices with reliable connections. */
    private static final List<String> DRIVERS =
            List.of(
                    "mlx5_ib",
                    "mlx4_ib",
                    "irdma",
                    "i40iw",
                    "bnxt_re",
                    "qedr",
                    "iw_cxgb4",
                    "hns_roce_hw_v2",
                    "hfi1",
                    "ib_qib",
                    "ocrdma",
                    "vmw_pvrdma",
                    "erdma",
                    "mana_ib",
                    "ionic_rdma",
                    "efa",
                    "rdma_rxe",
                    "siw");

    private KernelCheck() {}

    static void examine(Host host, Findings findings) {
        FileTree files = host.files();
        examinePart(
                files,
                "ib_uverbs",
                files.list(DEVICE_FOLDER).stream().anyMatch(name -> name.startsWith("uverbs")),
                "programs can use verbs",
                findings);
        examinePart(
                files,
                "rdma_ucm",
                files.exists(DEVICE_FOLDER + "/rdma_cm") || files.exists("/dev/rdma_cm"),
                "programs can establish connections",
                findings);
        List<String> drivers = DRIVERS.stream().filter(module -> isLoaded(files, module)).toList();
        List<String> makeable =
                Stream.of("rdma_rxe", "siw")
                        .filter(module -> !isLoaded(files, module) && isAvailable(files, module))
                        .toList();
        if (!drivers.isEmpty()) {
            findings.ok(AREA, "loaded RDMA drivers: " + String.join(", ", drivers));
        } else if (!files.list(DeviceCheck.SYSFS).isEmpty()) {
            findings.ok(AREA, "the RDMA devices' driver is unknown");
        } else if (makeable.isEmpty()) {
            findings.error(
                    AREA,
                    "no kernel driver for an RDMA device is loaded",
                    "load the driver of this host's RDMA NIC, or run the command in the lab:"
                            + " `verbus lab COMMAND`");
        } else {
            findings.error(
                    AREA,
                    "no kernel driver for an RDMA device is loaded",
                    "load the driver of this host's RDMA NIC, or `modprobe "
                            + makeable.getFirst()
                            + "` for a software device");
        }
    }

    private static void examinePart(
            FileTree files, String module, boolean isThere, String use, Findings findings) {
        if (isThere) {
            findings.ok(AREA, use + " (" + module + ")");
        } else if (isLoaded(files, module)) {
            findings.error(
                    AREA,
                    module + " is loaded, but its device file is not in " + DEVICE_FOLDER,
                    "install rdma-core for its udev rules, or pass "
                            + DEVICE_FOLDER
                            + " to the container");
        } else if (isAvailable(files, module)) {
            findings.error(AREA, module + " is not loaded", "`modprobe " + module + "`");
        } else {
            findings.error(
                    AREA,
                    "kernel "
                            + files.read("/proc/sys/kernel/osrelease")
                            + " has no module "
                            + module,
                    "boot a kernel with RDMA support, as most distributions provide, and `modprobe "
                            + module
                            + "`; or use `verbus lab`");
        }
    }

    private static boolean isLoaded(FileTree files, String module) {
        return files.exists("/sys/module/" + module)
                || files.lines("/proc/modules").stream()
                        .anyMatch(line -> line.startsWith(module + " "));
    }

    private static boolean isAvailable(FileTree files, String module) {
        String modules =
                "/lib/modules/" + files.read("/proc/sys/kernel/osrelease") + "/modules.dep";
        return files.lines(modules).stream()
                .map(line -> line.substring(0, Math.max(0, line.indexOf(':'))))
                .anyMatch(path -> path.replace('-', '_').contains("/" + module + ".ko"));
    }
}
