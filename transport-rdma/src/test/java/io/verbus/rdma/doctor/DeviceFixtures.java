// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import io.verbus.rdma.fabric.TransportType;
import io.verbus.rdma.verbs.DeviceInfo;
import io.verbus.rdma.verbs.DeviceInfo.Gid;
import io.verbus.rdma.verbs.DeviceInfo.Port;

import java.util.List;

/** Devices as found in the field. */
final class DeviceFixtures {
    static final Gid LINK_LOCAL =
            new Gid(0, "fe80:0000:0000:0000:bace:f6ff:fe11:2233", "RoCE v2", "eth2");
    static final Gid V1 =
            new Gid(2, "0000:0000:0000:0000:0000:ffff:0a00:0002", "IB/RoCE v1", "eth2");
    static final Gid V2 = new Gid(3, "0000:0000:0000:0000:0000:ffff:0a00:0002", "RoCE v2", "eth2");

    private DeviceFixtures() {}

    static DeviceInfo device(
            String name, TransportType transport, boolean software, Port... ports) {
        return new DeviceInfo(name, transport, software, "28.39.1002", 1, List.of(ports));
    }

    static Port roce(int mtu, Gid... gids) {
        return new Port(1, "ACTIVE", "Ethernet", mtu, 4096, List.of(gids));
    }

    /** A correctly configured RoCE v2 adapter. */
    static HostFixture addRoce(HostFixture host) {
        return withCounters(
                host.device(
                                device(
                                        "bnxt_re0",
                                        TransportType.INFINIBAND,
                                        false,
                                        roce(4096, LINK_LOCAL, V1, V2)))
                        .address("eth2", "fe80::bace:f6ff:fe11:2233", "10.0.0.2")
                        .file("/sys/class/net/eth2/mtu", "9000\n")
                        .file("/sys/class/net/eth2/qos/pfc", "0 0 0 1 0 0 0 0\n")
                        .file("/sys/class/net/eth2/ecn/roce_rp/enable/3", "1\n")
                        .file("/sys/class/net/eth2/ecn/roce_np/enable/3", "1\n")
                        .file("/sys/devices/system/node/node1/cpulist", "0-15\n")
                        .link("/sys/class/infiniband/bnxt_re0/device", "../../pci/0000:41:00.0")
                        .file(
                                "/sys/class/infiniband/bnxt_re0/ports/1/rate",
                                "100 Gb/sec (4X EDR)\n"),
                "bnxt_re0");
    }

    /** One counter of each kind, constant. */
    static HostFixture withCounters(HostFixture host, String device) {
        String port = "/sys/class/infiniband/" + device + "/ports/1/";
        return host.file(port + "counters/link_downed", "2\n")
                .file(port + "hw_counters/out_of_sequence", "0\n")
                .file(port + "hw_counters/rnr_nak_retry_err", "0\n")
                .file(port + "hw_counters/np_cnp_sent", "0\n");
    }

    /** A correctly configured InfiniBand adapter. */
    static HostFixture addInfiniBand(HostFixture host) {
        Gid gid = new Gid(0, "fe80:0000:0000:0000:248a:0703:00a0:1234", "IB/RoCE v1", "");
        return withCounters(
                host.device(
                                device(
                                        "mlx4_0",
                                        TransportType.INFINIBAND,
                                        false,
                                        new Port(
                                                1,
                                                "ACTIVE",
                                                "InfiniBand",
                                                4096,
                                                4096,
                                                List.of(gid))))
                        .file("/sys/class/infiniband/mlx4_0/device/net/ib0/mtu", "2044\n")
                        .file("/sys/devices/system/node/node1/cpulist", "0-15\n")
                        .address("ib0", "10.1.0.2"),
                "mlx4_0");
    }

    /** A software iWARP device, which identifies its interface only by the Ethernet address. */
    static HostFixture addIwarp(HostFixture host) {
        Gid gid = new Gid(0, "0242:ac11:0002:0000:0000:0000:0000:0000", "", "");
        return withCounters(
                host.device(device("siw0", TransportType.IWARP, true, roce(1024, gid)))
                        .file("/sys/class/net/eth7/address", "02:42:ac:11:00:02\n")
                        .file("/sys/class/net/eth7/mtu", "1500\n")
                        .address("eth7", "10.2.0.2"),
                "siw0");
    }
}
