// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.rdma.verbs.DeviceInfo;
import io.verbus.rdma.verbs.VerbsLibraries;
import io.verbus.transport.Examination;
import io.verbus.transport.Finding;
import io.verbus.transport.Finding.Level;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A host simulated by files in a folder of the test and by fixed results of calls. */
final class HostFixture implements Host.Calls {
    final List<DeviceInfo> devices = new ArrayList<>();
    final Map<String, List<InetAddress>> addresses = new HashMap<>();
    final Map<String, String> variables = new HashMap<>();
    VerbsLibraries.ForkSafety forkSafety = VerbsLibraries.ForkSafety.UNNEEDED;
    Host.Space space = new Host.Space(16L << 30, 12L << 30);
    RuntimeException libraryFailure;
    RuntimeException deviceFailure;

    /** Action between the two samples of the counters. */
    Runnable pause = () -> {};

    private final Path root;

    private HostFixture(Path root) {
        this.root = root;
    }

    /** A correctly configured host without devices. */
    static HostFixture good(Path root) {
        return new HostFixture(root)
                .file("/proc/sys/kernel/osrelease", "6.1.0-56-amd64\n")
                .file(
                        "/proc/self/limits",
                        "Max open files            1024                 4096       files\n"
                            + "Max locked memory         unlimited            unlimited  bytes\n")
                .file("/proc/self/status", "CapEff:\t0000000000000000\nCpus_allowed_list:\t0-3,8\n")
                .file("/proc/self/uid_map", "         0          0 4294967295\n")
                .file("/proc/mounts", "tmpfs /dev/shm tmpfs rw,huge=within_size 0 0\n")
                .file("/proc/meminfo", "HugePages_Total:       0\nHugepagesize:       2048 kB\n")
                .file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
                .file("/sys/devices/system/cpu/isolated", "8\n")
                .file("/sys/devices/system/cpu/nohz_full", "8\n")
                .file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
                .file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n")
                .file("/dev/infiniband/uverbs0", "")
                .file("/dev/infiniband/rdma_cm", "")
                .file("/sys/module/mlx5_ib/refcnt", "0\n");
    }

    HostFixture file(String path, String content) {
        return file(path, content.getBytes(StandardCharsets.UTF_8));
    }

    HostFixture file(String path, byte[] content) {
        try {
            Path file = root.resolve(path.substring(1));
            Files.createDirectories(file.getParent());
            Files.write(file, content);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HostFixture link(String path, String target) {
        try {
            Path link = root.resolve(path.substring(1));
            Files.createDirectories(link.getParent());
            Files.createSymbolicLink(link, Path.of(target));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HostFixture without(String path) {
        try {
            Files.delete(root.resolve(path.substring(1)));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HostFixture address(String networkInterface, String... ofInterface) {
        try {
            List<InetAddress> list = new ArrayList<>();
            for (String address : ofInterface) {
                list.add(InetAddress.getByName(address));
            }
            addresses.put(networkInterface, list);
            return this;
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    HostFixture device(DeviceInfo device) {
        devices.add(device);
        return file("/sys/class/infiniband/" + device.name() + "/node_guid", "0\n");
    }

    Host host() {
        return new Host(new FileTree(root), this);
    }

    /** Examination for media, without a pause between samples. */
    static Examination.Scope scope(String... media) {
        return new Examination.Scope(Set.of(media), (name, preset) -> preset, Duration.ZERO);
    }

    /** Examines the host for RDMA. */
    List<Finding> findings() throws InterruptedException {
        return new RdmaExamination(host()).examine(scope("rdma"));
    }

    /** The findings that are warnings or errors, each as {@code LEVEL: text}. */
    List<String> problems() throws InterruptedException {
        return findings().stream()
                .filter(finding -> finding.level() != Level.OK)
                .map(finding -> finding.level() + ": " + finding.text())
                .toList();
    }

    /** The only finding whose text contains the words. */
    Finding finding(String words) throws InterruptedException {
        List<Finding> all = findings();
        List<Finding> found = all.stream().filter(f -> f.text().contains(words)).toList();
        assertEquals(1, found.size(), words + " in " + all);
        return found.getFirst();
    }

    @Override
    public void loadLibraries() {
        if (libraryFailure != null) {
            throw libraryFailure;
        }
    }

    @Override
    public List<DeviceInfo> devices() {
        if (deviceFailure != null) {
            throw deviceFailure;
        }
        return List.copyOf(devices);
    }

    @Override
    public VerbsLibraries.ForkSafety forkSafety() {
        return forkSafety;
    }

    @Override
    public List<InetAddress> addresses(String networkInterface) {
        return addresses.getOrDefault(networkInterface, List.of());
    }

    @Override
    public String variable(String name) {
        return variables.get(name);
    }

    @Override
    public Host.Space space(String path) {
        return path.equals("/dev/shm") ? space : null;
    }

    @Override
    public void pause(Duration interval) {
        pause.run();
    }
}
