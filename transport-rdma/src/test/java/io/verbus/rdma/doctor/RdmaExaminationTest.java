// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import static io.verbus.rdma.doctor.DeviceFixtures.LINK_LOCAL;
import static io.verbus.rdma.doctor.DeviceFixtures.V1;
import static io.verbus.rdma.doctor.DeviceFixtures.V2;
import static io.verbus.rdma.doctor.DeviceFixtures.device;
import static io.verbus.rdma.doctor.DeviceFixtures.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.fabric.TransportType;
import io.verbus.rdma.verbs.DeviceInfo;
import io.verbus.rdma.verbs.DeviceInfo.Gid;
import io.verbus.rdma.verbs.DeviceInfo.Port;
import io.verbus.rdma.verbs.VerbsLibraries;
import io.verbus.transport.Examination;
import io.verbus.transport.Finding;
import io.verbus.transport.Finding.Level;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

class RdmaExaminationTest {
    @TempDir Path root;

    private HostFixture host;

    @BeforeEach
    void makeHost() {
        host = HostFixture.good(root);
    }

    private void checkFinding(Level level, String words, String remedy)
            throws InterruptedException {
        Finding finding = host.finding(words);
        assertEquals(level, finding.level(), finding.toString());
        assertTrue(finding.remedy().contains(remedy), finding.toString());
    }

    @Test
    void findsNoProblemOnGoodRoceHost() throws InterruptedException {
        DeviceFixtures.addRoce(host);
        assertEquals(List.of(), host.problems());
        checkFinding(Level.OK, "uses GID 3 (RoCE v2) for 10.0.0.2 of eth2", "");
        checkFinding(Level.OK, "bnxt_re0 port 1 is ACTIVE, RoCE, 100 Gb/sec (4X EDR)", "");
        checkFinding(Level.OK, "(PFC) of eth2 is 0 0 0 1 0 0 0 0", "");
        checkFinding(Level.OK, "reacts at priorities 3, notifies at 3", "");
        checkFinding(Level.OK, "no link errors within 0 ms; totals before: link_downed 2", "");
    }

    @Test
    void findsNoProblemOnGoodInfiniBandHost() throws InterruptedException {
        DeviceFixtures.addInfiniBand(host);
        assertEquals(List.of(), host.problems());
        checkFinding(Level.OK, "mlx4_0 port 1 has the address 10.1.0.2 of ib0", "");
    }

    @Test
    void findsInterfaceOfIwarpDeviceByEthernetAddress() throws InterruptedException {
        DeviceFixtures.addIwarp(host);
        assertEquals(1, host.problems().size(), host.problems().toString());
        checkFinding(Level.WARNING, "siw0 is a software device", "RDMA NIC");
        checkFinding(Level.OK, "siw0 port 1 has the address 10.2.0.2 of eth7", "");
        checkFinding(Level.OK, "MTU 1024, but iWARP leaves segmentation to TCP", "");
    }

    @Test
    void groupsFindingsByArea() throws InterruptedException {
        DeviceFixtures.addRoce(host);
        DeviceFixtures.addInfiniBand(host);
        Set<String> seen = new HashSet<>();
        String last = "";
        for (Finding finding : host.findings()) {
            assertTrue(finding.area().equals(last) || seen.add(finding.area()), finding.toString());
            last = finding.area();
        }
        assertTrue(seen.containsAll(Set.of("devices", "memory", "clock", "device mlx4_0")));
    }

    @Test
    void examinesOnlyHostForOtherMedia() throws InterruptedException {
        DeviceFixtures.addRoce(host);
        host.without("/proc/mounts");
        List<Finding> findings =
                new RdmaExamination(host.host()).examine(HostFixture.scope("udp", "ipc"));
        Set<String> areas = new HashSet<>();
        findings.forEach(finding -> areas.add(finding.area()));
        assertEquals(Set.of("memory", "open files", "processors", "clock"), areas);
        assertTrue(
                findings.stream().noneMatch(f -> f.text().contains("locked memory")),
                findings.toString());
        assertTrue(
                findings.stream()
                        .anyMatch(
                                f ->
                                        f.level() == Level.WARNING
                                                && f.text().contains("is not a tmpfs")),
                findings.toString());
        assertTrue(findings.stream().noneMatch(f -> f.level() == Level.ERROR));
    }

    @Test
    void reportsLimitOfOpenFiles() throws InterruptedException {
        checkFinding(Level.OK, "this process may open 1024 files", "");
        host.file("/proc/self/limits", "Max open files   256   4096   files\n");
        checkFinding(Level.WARNING, "this process may open 256 files", "ulimit -n");
        host.file("/proc/self/limits", "Max open files   unlimited   unlimited   files\n");
        checkFinding(Level.OK, "open files is unlimited", "");
        host.without("/proc/self/limits");
        checkFinding(Level.WARNING, "cannot read the limit on open files", "LimitNOFILE");
    }

    // Absent parts

    @Test
    void reportsFindingsIfNothingIsReadable() throws InterruptedException {
        host = HostFixture.good(root.resolve("nowhere"));
        Host empty = new Host(new FileTree(root.resolve("empty")), host);
        host.space = null;
        List<Finding> findings = new RdmaExamination(empty).examine(HostFixture.scope("rdma"));
        assertTrue(findings.stream().anyMatch(f -> f.text().contains("no RDMA device")));
        assertTrue(findings.stream().anyMatch(f -> f.text().contains("no module ib_uverbs")));
        assertTrue(findings.stream().anyMatch(f -> f.text().contains("is not a tmpfs")));
        for (Finding finding : findings) {
            assertEquals(finding.level() == Level.OK, finding.remedy().isEmpty());
            assertEquals(1, finding.text().lines().count(), finding.text());
        }
    }

    @Test
    void suggestsModprobeForAvailableModule() throws InterruptedException {
        host.without("/dev/infiniband/rdma_cm")
                .file(
                        "/lib/modules/6.1.0-56-amd64/modules.dep",
                        "kernel/drivers/infiniband/core/rdma_ucm.ko.xz: kernel/x.ko\n");
        checkFinding(Level.ERROR, "rdma_ucm is not loaded", "`modprobe rdma_ucm`");
    }

    @Test
    void reportsMissingDeviceFilesInContainer() throws InterruptedException {
        host.without("/dev/infiniband/uverbs0").file("/proc/modules", "ib_uverbs 1 0 - Live 0x0\n");
        checkFinding(Level.ERROR, "ib_uverbs is loaded, but", "to the container");
    }

    @Test
    void reportsMissingLibibverbsProvider() throws InterruptedException {
        DeviceFixtures.addRoce(host);
        host.devices.clear();
        checkFinding(
                Level.ERROR, "bnxt_re0, but libibverbs does not support it", "ibverbs-providers");
    }

    // Ports

    @Test
    void warnsAboutIdlePortBesideActivePort() throws InterruptedException {
        DeviceFixtures.addRoce(host);
        host.device(
                device(
                        "bnxt_re1",
                        TransportType.INFINIBAND,
                        false,
                        new Port(1, "DOWN", "Ethernet", 1024, 4096, List.of())));
        checkFinding(Level.WARNING, "bnxt_re1 port 1 is DOWN", "`ip link set dev");
    }

    @Test
    void reportsErrorWithoutActivePort() throws InterruptedException {
        host.device(
                device(
                        "mlx4_0",
                        TransportType.INFINIBAND,
                        false,
                        new Port(1, "INIT", "InfiniBand", 4096, 4096, List.of())));
        checkFinding(Level.ERROR, "mlx4_0 port 1 is INIT", "opensm");
    }

    @Test
    void namesInterfaceThatLimitsMtu() throws InterruptedException {
        DeviceFixtures.addRoce(host);
        host.devices.set(
                0, device("bnxt_re0", TransportType.INFINIBAND, false, roce(1024, LINK_LOCAL, V2)));
        host.file("/sys/class/net/eth2/mtu", "1500\n");
        checkFinding(
                Level.WARNING,
                "has MTU 1024 but supports 4096, because the MTU of eth2 is 1500",
                "`ip link set dev eth2 mtu 4200`");
        host.file("/sys/class/net/eth2/mtu", "9000\n");
        checkFinding(Level.WARNING, "has MTU 1024 but supports 4096", "down and up");
    }

    // GIDs

    private void useGids(Gid... gids) {
        DeviceFixtures.addRoce(host);
        host.devices.set(0, device("bnxt_re0", TransportType.INFINIBAND, false, roce(4096, gids)));
    }

    @Test
    void reportsPortWithOnlyLinkLocalGids() throws InterruptedException {
        useGids(LINK_LOCAL);
        host.address("eth2", "fe80::bace:f6ff:fe11:2233");
        checkFinding(Level.ERROR, "only link-local GIDs", "`ip addr add ADDRESS/PREFIX dev eth2`");
    }

    @Test
    void warnsAboutRoceV1() throws InterruptedException {
        useGids(V1);
        checkFinding(Level.WARNING, "connects over IB/RoCE v1", "/rdma_cm/bnxt_re0");
        checkFinding(Level.OK, "uses GID 2 (IB/RoCE v1)", "");
    }

    @Test
    void respectsConfiguredRoceModeOfPort() throws InterruptedException {
        useGids(LINK_LOCAL, V1, V2);
        host.file("/sys/kernel/config/rdma_cm/bnxt_re0/ports/1/default_roce_mode", "IB/RoCE v1\n");
        checkFinding(Level.WARNING, "connects over IB/RoCE v1", "ports/1/default_roce_mode`");
        checkFinding(Level.OK, "uses GID 2 (IB/RoCE v1)", "");
    }

    @Test
    void warnsAboutAddressWithoutGidOfMode() throws InterruptedException {
        useGids(LINK_LOCAL, V1);
        checkFinding(
                Level.WARNING,
                "lists 10.0.0.2 of eth2 only as GID 2 (IB/RoCE v1)",
                "echo 'RoCE v2' > ");
    }

    @Test
    void warnsAboutGidOfForeignAddress() throws InterruptedException {
        useGids(
                LINK_LOCAL,
                V2,
                new Gid(5, "0000:0000:0000:0000:0000:ffff:c0a8:0909", "RoCE v2", "eth2"));
        checkFinding(
                Level.WARNING,
                "GID 5 for 192.168.9.9, which is not an address of eth2",
                "namespace");
        checkFinding(Level.OK, "uses GID 3 (RoCE v2) for 10.0.0.2", "");
    }

    @Test
    void warnsAboutAddressWithoutGid() throws InterruptedException {
        useGids(LINK_LOCAL, V2);
        host.address("eth2", "10.0.0.2", "10.0.0.3");
        checkFinding(Level.WARNING, "no GID for 10.0.0.3 of eth2", "down and up");
    }

    // Providers

    @Test
    void reportsDeviceWithUnorderedWrites() throws InterruptedException {
        host.device(device("efa_0", TransportType.UNORDERED, false, roce(4096)));
        checkFinding(Level.ERROR, "efa_0 does not keep writes in order", "use an InfiniBand");
        DeviceFixtures.addRoce(host);
        checkFinding(Level.WARNING, "efa_0 does not keep writes in order", "use an InfiniBand");
    }

    private void addMlx5() {
        host.device(device("mlx5_0", TransportType.INFINIBAND, false, roce(4096, V2)))
                .file("/sys/pci/0000:41:00.0/vendor", "0x15b3\n")
                .link("/sys/pci/0000:41:00.0/driver", "../../drivers/mlx5_core");
        // The fixture's tree has its own absolute paths.
        DeviceFixtures.addRoce(host);
        host.link(
                "/sys/class/infiniband/mlx5_0/device",
                root.resolve("sys/pci/0000:41:00.0").toString());
    }

    /** The configuration space of a function: power management, then PCI Express. */
    private static byte[] configurationSpace(int deviceControl) {
        byte[] config = new byte[256];
        config[0x06] = 0x10;
        config[0x34] = 0x40;
        config[0x40] = 0x01;
        config[0x41] = 0x60;
        config[0x60] = 0x10;
        config[0x68] = (byte) deviceControl;
        return config;
    }

    @Test
    void suggestsCheckingWriteOrderingOfMlx5Firmware() throws InterruptedException {
        addMlx5();
        checkFinding(
                Level.WARNING,
                "mlx5_0 is driven by mlx5_core, firmware 28.39.1002; the doctor cannot read"
                        + " whether",
                "`mlxconfig -d 0000:41:00.0 q PCI_WR_ORDERING`");
    }

    @Test
    void readsPciWriteOrderOfMlx5() throws InterruptedException {
        addMlx5();
        String config = "/sys/pci/0000:41:00.0/config";
        host.file(config, configurationSpace(0x20));
        assertEquals(Level.OK, host.finding("keeps the order of PCIe writes").level());
        host.file(config, configurationSpace(0x30));
        checkFinding(Level.WARNING, "RlxdOrd+", "PCI_WR_ORDERING");
        // The part that users other than root can read, which ends before the register.
        for (int length : new int[] {0, 20, 64, 0x61, 0x68}) {
            host.file(config, Arrays.copyOf(configurationSpace(0x30), length));
            checkFinding(Level.WARNING, "cannot read whether its firmware", "sudo");
        }
        byte[] endless = configurationSpace(0);
        endless[0x41] = 0x40;
        host.file(config, endless);
        checkFinding(Level.WARNING, "cannot read whether its firmware", "sudo");
    }

    @Test
    void warnsAboutVariableThatRelaxesPacketOrder() throws InterruptedException {
        addMlx5();
        host.variables.put("MLX5_RELAXED_PACKET_ORDERING_ON", "all");
        checkFinding(
                Level.WARNING,
                "MLX5_RELAXED_PACKET_ORDERING_ON=all",
                "`unset MLX5_RELAXED_PACKET_ORDERING_ON`");
    }

    @Test
    void readsDevicesFromAnotherSysfs(@TempDir Path other) throws IOException {
        Path device = Files.createDirectories(other.resolve("mlx5_0/device"));
        Files.writeString(device.resolve("numa_node"), "1");
        FileTree tree = new FileTree(root, other);
        assertEquals(List.of("mlx5_0"), tree.list("/sys/class/infiniband"));
        assertEquals(1, tree.number("/sys/class/infiniband/mlx5_0/device/numa_node"));
        assertEquals(root.resolve("sys/class/net"), tree.at("/sys/class/net"));
    }

    @Test
    void warnsAboutCpusOfAnotherNumaNode() throws InterruptedException {
        DeviceFixtures.addRoce(host);
        host.file("/sys/devices/system/node/node1/cpulist", "4-7\n");
        checkFinding(Level.WARNING, "all of which are on another node", "numactl --cpunodebind=1");
        host.file("/sys/devices/system/node/node1/cpulist", "0-1\n");
        checkFinding(Level.WARNING, "some of which are on another node", "--membind=1");
    }

    // Flow control and counters

    @Test
    void warnsAboutDisabledOrUnreadableFlowControl() throws InterruptedException {
        DeviceFixtures.addRoce(host);
        host.file("/sys/class/net/eth2/qos/pfc", "0 0 0 0 0 0 0 0\n")
                .file("/sys/class/net/eth2/ecn/roce_np/enable/3", "0\n");
        checkFinding(Level.WARNING, "(PFC) of eth2 is off", "dcb pfc set dev eth2");
        checkFinding(Level.WARNING, "(ECN, DCQCN) of eth2 is off", "/ecn/roce_np/enable/PRIORITY");
        host.without("/sys/class/net/eth2/qos/pfc")
                .without("/sys/class/net/eth2/ecn/roce_np/enable/3")
                .without("/sys/class/net/eth2/ecn/roce_np/enable")
                .without("/sys/class/net/eth2/ecn/roce_np");
        checkFinding(
                Level.WARNING,
                "cannot read the priority flow control (PFC) settings of eth2",
                "ethtool -S eth2");
        checkFinding(
                Level.WARNING,
                "cannot read the congestion control (ECN, DCQCN) settings of eth2",
                "switches");
    }

    @Test
    void warnsAboutUnreadableCounters() throws InterruptedException {
        DeviceFixtures.addRoce(host);
        host.without("/sys/class/infiniband/bnxt_re0/ports/1/hw_counters/np_cnp_sent");
        checkFinding(
                Level.WARNING, "cannot read the counters for congestion on bnxt_re0 port 1", "");
    }

    @Test
    void reportsCountersThatGrowBetweenSamples() throws InterruptedException {
        DeviceFixtures.addRoce(host);
        String counters = "/sys/class/infiniband/bnxt_re0/ports/1/";
        host.file(counters + "hw_counters/out_of_sequence", "7\n");
        host.pause =
                () ->
                        host.file(counters + "hw_counters/out_of_sequence", "10\n")
                                .file(counters + "hw_counters/rx_write_requests", "99\n");
        assertEquals(
                List.of(
                        "WARNING: bnxt_re0 port 1 counted lost or retransmitted packets within 0"
                                + " ms: out_of_sequence rose by 3 to 10"),
                host.problems());
    }

    // Memory

    @Test
    void comparesLockedMemoryLimitWithLogSize() throws InterruptedException {
        limit("8388608");
        checkFinding(Level.ERROR, "locked memory is limited to 8m", "ulimit -l unlimited");
        limit("104857600");
        checkFinding(Level.WARNING, "locked memory is limited to 100m", "ulimit -l unlimited");
        limit("10737418240");
        checkFinding(Level.OK, "locked memory is limited to 10g", "");
    }

    private void limit(String bytes) {
        host.file("/proc/self/limits", "Max locked memory   " + bytes + "   8388608   bytes\n");
    }

    @Test
    void trustsCapabilityOnlyInInitialUserNamespace() throws InterruptedException {
        limit("65536");
        host.file("/proc/self/status", "CapEff:\t0000000000004000\nCpus_allowed_list:\t0-3\n");
        checkFinding(Level.OK, "CAP_IPC_LOCK", "");
        host.file("/proc/self/uid_map", "         0       1000          1\n");
        checkFinding(Level.ERROR, "locked memory is limited to 64k", "LimitMEMLOCK");
        checkFinding(Level.ERROR, "CAP_IPC_LOCK is effective only in a user namespace", "memlock");
    }

    @Test
    void reportsIneffectiveCapability() throws InterruptedException {
        limit("65536");
        host.file("/proc/self/status", "CapEff:\t0000000000000000\nCapBnd:\t0000000000004000\n");
        checkFinding(
                Level.ERROR,
                "CAP_IPC_LOCK is in the bounding set but not effective",
                "--ulimit memlock=-1");
    }

    @Test
    void comparesSharedMemoryWithLogSize() throws InterruptedException {
        host.space = new Host.Space(64L << 20, 40L << 20);
        checkFinding(Level.ERROR, "/dev/shm has 40m free of 64m", "--shm-size=8g");
        checkFinding(Level.ERROR, "(the default size in containers)", "emptyDir");
        host.space = new Host.Space(256L << 20, 200L << 20);
        checkFinding(Level.WARNING, "/dev/shm has 200m free", "remount");
        host.file("/proc/mounts", "/dev/sda1 / ext4 rw 0 0\n");
        checkFinding(Level.ERROR, "/dev/shm is not a tmpfs", "verbus.dir");
    }

    @Test
    void recommendsHugePagesWithAdapter() throws InterruptedException {
        host.file("/proc/mounts", "tmpfs /dev/shm tmpfs rw 0 0\n");
        checkFinding(Level.OK, "files in /dev/shm use small pages", "");
        DeviceFixtures.addRoce(host);
        checkFinding(Level.WARNING, "files in /dev/shm use small pages", "huge=within_size");
        host.file("/proc/mounts", "tmpfs /dev/shm tmpfs rw 0 0\nhuge /mnt/huge hugetlbfs rw 0 0\n")
                .file(
                        "/proc/meminfo",
                        "HugePages_Total:    64\nHugePages_Free:   60\nHugepagesize:   2048 kB\n");
        checkFinding(Level.OK, "64 huge pages of 2048 kB are reserved (60 free)", "");
    }

    @Test
    void warnsAboutKernelsThatDoNotCopyPinnedPagesOnFork() throws InterruptedException {
        host.forkSafety = VerbsLibraries.ForkSafety.UNKNOWN;
        checkFinding(Level.OK, "kernel 6.1.0-56-amd64 copies pinned pages", "");
        host.file("/proc/sys/kernel/osrelease", "5.10.0-9-amd64\n");
        checkFinding(Level.WARNING, "on kernel 5.10.0-9-amd64, a native fork", "RDMAV_FORK_SAFE=1");
    }

    // Processors and clock

    @Test
    void warnsAboutFewSlowOrSharedCpus() throws InterruptedException {
        host.file("/proc/self/status", "Cpus_allowed_list:\t0-1\n")
                .file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n")
                .file("/sys/devices/system/cpu/nohz_full", "(null)\n");
        checkFinding(Level.WARNING, "may run on 2 CPUs (0-1)", "verbus.threading");
        checkFinding(Level.WARNING, "performance governor: 1 powersave", "cpupower");
        checkFinding(Level.WARNING, "the timer still ticks", "nohz_full=8");
        host.file("/sys/devices/system/cpu/isolated", "\n");
        checkFinding(Level.WARNING, "no CPU is isolated", "isolcpus=");
    }

    @Test
    void warnsAboutSlowClockSource() throws InterruptedException {
        String sysfs = "/sys/devices/system/clocksource/clocksource0/";
        host.file(sysfs + "current_clocksource", "hpet\n")
                .file(sysfs + "available_clocksource", "hpet acpi_pm\n");
        checkFinding(Level.WARNING, "the clock source is hpet", "tsc=reliable");
        host.file(sysfs + "available_clocksource", "tsc hpet acpi_pm\n");
        checkFinding(Level.WARNING, "the clock source is hpet", "`echo tsc > ");
    }

    @Test
    void isFoundByServiceLoader() {
        assertTrue(
                ServiceLoader.load(Examination.class).stream()
                        .anyMatch(each -> each.type() == RdmaExamination.class));
    }

    @Test
    void toleratesInvalidDeviceAttributes() throws InterruptedException {
        Gid odd = new Gid(1, "not an address", "", "");
        host.device(
                new DeviceInfo(
                        "odd0",
                        TransportType.INFINIBAND,
                        false,
                        "",
                        -1,
                        List.of(
                                new Port(1, "ACTIVE", "Ethernet", 0, 0, List.of(odd)),
                                new Port(2, "state 9", "link layer 7", 0, 0, List.of()))));
        checkFinding(Level.ERROR, "odd0 port 1 has no address", "give the interface an address");
    }
}
