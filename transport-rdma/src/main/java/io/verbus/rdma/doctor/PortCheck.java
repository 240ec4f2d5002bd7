// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.rdma.fabric.TransportType;
import io.verbus.rdma.verbs.DeviceInfo;

/** Checks state and MTU of a port. */
final class PortCheck {
    private final Host host;
    private final DeviceInfo device;
    private final DeviceInfo.Port port;
    private final boolean anyUsable;
    private final Findings findings;
    private final String name;

    /**
     * @param anyUsable whether some port of this host is usable, so that problems of other ports
     *     are only warnings.
     */
    PortCheck(
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
        name = name(device, port);
    }

    static String name(DeviceInfo device, DeviceInfo.Port port) {
        return device.name() + " port " + port.number();
    }

    static String sysfs(DeviceInfo device, DeviceInfo.Port port) {
        return DeviceCheck.SYSFS + "/" + device.name() + "/ports/" + port.number();
    }

    void examine() {
        examineState();
        if (port.active()) {
            examineMtu();
            new GidCheck(host, device, port, anyUsable, findings).examine();
        }
    }

    private String kind() {
        if (device.transport() == TransportType.IWARP) {
            return "iWARP";
        }
        return isEthernet() ? "RoCE" : port.linkLayer();
    }

    private boolean isEthernet() {
        return port.linkLayer().equals(PathAdvice.ETHERNET);
    }

    private void examineState() {
        String rate = host.files().read(sysfs(device, port) + "/rate");
        String text =
                name + " is " + port.state() + ", " + kind() + (rate.isEmpty() ? "" : ", " + rate);
        if (port.active()) {
            findings.ok(DeviceCheck.area(device), text);
            return;
        }
        String interfaces = String.join(", ", Interfaces.of(host, device, port));
        String remedy;
        if (isEthernet()) {
            remedy =
                    "bring its network interface up with `ip link set dev "
                            + (interfaces.isEmpty() ? "IFACE" : interfaces)
                            + " up`; if that does not help, check the cable";
        } else if (port.state().equals("DOWN")) {
            remedy = "check the cable and the switch port";
        } else {
            remedy = "start a subnet manager on the fabric, such as opensm";
        }
        if (anyUsable) {
            findings.warning(DeviceCheck.area(device), text, remedy);
        } else {
            findings.error(DeviceCheck.area(device), text, remedy);
        }
    }

    private void examineMtu() {
        String mtu = name + " has MTU " + port.activeMtu();
        String area = DeviceCheck.area(device);
        if (device.transport() == TransportType.IWARP) {
            findings.ok(area, mtu + ", but iWARP leaves segmentation to TCP");
        } else if (port.activeMtu() >= port.maxMtu()) {
            findings.ok(area, mtu + ", the maximum of the device");
        } else if (!isEthernet()) {
            findings.warning(
                    area, mtu + " but supports " + port.maxMtu(), PathAdvice.raiseInfiniBandMtu());
        } else {
            examineRoceMtu(area, mtu);
        }
    }

    private void examineRoceMtu(String area, String mtu) {
        int least = PathAdvice.interfaceMtu(port.maxMtu());
        for (String netdev : Interfaces.of(host, device, port)) {
            long interfaceMtu = host.files().number("/sys/class/net/" + netdev + "/mtu");
            if (interfaceMtu >= 0 && interfaceMtu < least) {
                findings.warning(
                        area,
                        "%s but supports %d, because the MTU of %s is %d"
                                .formatted(mtu, port.maxMtu(), netdev, interfaceMtu),
                        PathAdvice.raiseRoceMtu(netdev, port.maxMtu()));
                return;
            }
        }
        findings.warning(
                area,
                mtu + " but supports " + port.maxMtu(),
                PathAdvice.raiseRoceMtu("", port.maxMtu()));
    }
}
