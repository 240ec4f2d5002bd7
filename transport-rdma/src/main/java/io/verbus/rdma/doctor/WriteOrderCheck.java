// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.rdma.verbs.DeviceInfo;

/**
 * Checks for settings that may make an mlx5 adapter place a later write before an earlier one, as
 * far as they are visible without a connection.
 */
final class WriteOrderCheck {
    // PCI Local Bus Specification 3.0, 6.1 and 6.7; PCI Express Base Specification, 7.5.3.4.
    private static final int STATUS = 0x06;
    private static final int HAS_CAPABILITIES = 1 << 4;
    private static final int FIRST_CAPABILITY = 0x34;
    private static final int EXPRESS = 0x10;
    private static final int DEVICE_CONTROL = 8;
    private static final int RELAXED_ORDERING = 1 << 4;
    private static final int MAX_CAPABILITIES = 48;

    private enum PciOrder {
        STRICT,
        MAY_RELAX,
        UNKNOWN
    }

    private WriteOrderCheck() {}

    /**
     * Examines a device.
     *
     * @param text description of its driver and firmware.
     */
    static void examine(Host host, DeviceInfo device, String text, Findings findings) {
        String area = DeviceCheck.area(device);
        String folder = DeviceCheck.SYSFS + "/" + device.name() + "/device";
        String remedy =
                "`mlxconfig -d "
                        + host.files().target(folder)
                        + " q PCI_WR_ORDERING` must print per_mkey(0); if not, set it";
        switch (pciOrder(host.files().bytes(folder + "/config"))) {
            case STRICT -> findings.ok(area, text + ", and keeps the order of PCIe writes");
            case MAY_RELAX ->
                    findings.warning(
                            area,
                            text
                                    + "; its PCIe register (DevCtl: RlxdOrd+) lets firmware "
                                    + "relax the order of writes, which would corrupt "
                                    + "remote logs",
                            remedy);
            case UNKNOWN ->
                    findings.warning(
                            area,
                            text
                                    + "; the doctor cannot read whether its firmware forces relaxed"
                                    + " PCIe ordering, which would corrupt remote logs",
                            remedy
                                    + "; or run the doctor with sudo, because root can read the"
                                    + " setting");
        }
        String relaxed = host.calls().variable(PathAdvice.RELAXED_VARIABLE);
        if (relaxed != null) {
            findings.warning(
                    area,
                    device.name()
                            + " places writes out of order in processes whose environment has "
                            + PathAdvice.RELAXED_VARIABLE
                            + "="
                            + relaxed
                            + ", as in this one: subscribers could read corrupt messages",
                    "`unset "
                            + PathAdvice.RELAXED_VARIABLE
                            + "` before starting the driver, or set rdma.order to safe");
        }
    }

    /**
     * Determines whether later writes of a PCI function may pass earlier ones.
     *
     * @param config configuration space, of which only root can read more than the first 64 bytes.
     */
    private static PciOrder pciOrder(byte[] config) {
        if (config.length <= FIRST_CAPABILITY || (config[STATUS] & HAS_CAPABILITIES) == 0) {
            return PciOrder.UNKNOWN;
        }
        int at = config[FIRST_CAPABILITY] & 0xFC;
        for (int i = 0; i < MAX_CAPABILITIES && at != 0 && at + 1 < config.length; i++) {
            if (config[at] == EXPRESS) {
                int control = at + DEVICE_CONTROL;
                if (control >= config.length) {
                    return PciOrder.UNKNOWN;
                }
                return (config[control] & RELAXED_ORDERING) == 0
                        ? PciOrder.STRICT
                        : PciOrder.MAY_RELAX;
            }
            at = config[at + 1] & 0xFC;
        }
        return PciOrder.UNKNOWN;
    }
}
