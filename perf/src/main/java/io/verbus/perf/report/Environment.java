// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.report;

import io.verbus.perf.process.Lab;
import io.verbus.rdma.fabric.KernelFiles;
import io.verbus.release.Release;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Describes the machine and JVM that a measurement ran on. */
public final class Environment {
    /** Key of the load average when the measurement started. */
    static final String LOAD_BEFORE = "loadBefore";

    /** Key of the load average when the measurement ended. */
    static final String LOAD_AFTER = "loadAfter";

    private static final String CPUS = "cpus";
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final Path GOVERNOR =
            Path.of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");

    private Environment() {}

    /**
     * Describes this machine and JVM.
     *
     * @param flags flags of the measuring JVMs.
     */
    public static Map<String, Object> describe(List<String> flags) {
        Map<String, Object> environment = new LinkedHashMap<>();
        environment.put("version", Release.CURRENT.version());
        environment.put("commit", Release.CURRENT.commit());
        environment.put("cpu", cpu());
        environment.put(CPUS, Runtime.getRuntime().availableProcessors());
        environment.put("governor", Files.exists(GOVERNOR) ? read(GOVERNOR) : null);
        environment.put("kernel", read(Path.of("/proc/sys/kernel/osrelease")));
        environment.put(LOAD_BEFORE, load());
        environment.put("virtualLab", Lab.isHere());
        environment.put("jdk", System.getProperty("java.vm.name") + " " + Runtime.version());
        environment.put("flags", flags);
        return environment;
    }

    /** Returns the current load averages over 1, 5 and 15 minutes, separated by spaces. */
    static String load() {
        String[] words = read(Path.of("/proc/loadavg")).split(" ");
        return words[0] + " " + words[1] + " " + words[2];
    }

    /** Returns the load average over one minute; 0 if there is none. */
    static double load(Map<String, Object> environment, String key) {
        Object load = environment.get(key);
        return load == null ? 0 : Double.parseDouble(load.toString().split(" ")[0]);
    }

    /** Returns the number of CPUs. */
    static int cpus(Map<String, Object> environment) {
        return ((Number) environment.get(CPUS)).intValue();
    }

    /** Returns one line: processor, operating system and JVM. */
    static String machine(Map<String, Object> environment) {
        int cpus = cpus(environment);
        return environment.get("cpu")
                + ", "
                + cpus
                + (cpus == 1 ? " CPU" : " CPUs")
                + (Boolean.TRUE.equals(environment.get("virtualLab")) ? " of the lab" : "")
                + ", Linux "
                + environment.get("kernel")
                + ", "
                + environment.get("jdk");
    }

    /** Returns version and commit of Verbus. */
    static String release(Map<String, Object> environment) {
        return "Verbus " + environment.get("version") + " (" + environment.get("commit") + ")";
    }

    /** Returns the names of this machine's RDMA devices, in order. */
    public static List<String> rdmaDevices() {
        if (!Files.isDirectory(KernelFiles.DEVICES)) {
            return List.of();
        }
        try (Stream<Path> devices = Files.list(KernelFiles.DEVICES)) {
            return devices.map(device -> device.getFileName().toString()).sorted().toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(
                    "cannot list the RDMA devices in " + KernelFiles.DEVICES, ex);
        }
    }

    private static String cpu() {
        return read(CPU_INFO)
                .lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException ex) {
            throw new UncheckedIOException("cannot read " + file, ex);
        }
    }
}
