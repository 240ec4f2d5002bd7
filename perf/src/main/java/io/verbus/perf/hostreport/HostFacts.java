// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.hostreport;

import io.verbus.perf.report.Environment;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads facts about the host from the kernel. */
final class HostFacts {
    private static final List<String> OF_DEVICE =
            List.of("hca_type", "board_id", "hw_rev", "fw_ver", "node_type", "device/numa_node");

    private static final List<String> OF_PORT = List.of("link_layer", "state", "rate");

    private HostFacts() {}

    /**
     * Reads the facts.
     *
     * @param devices directory of the RDMA devices, {@code /sys/class/infiniband}.
     */
    static Map<String, Object> read(Path devices) throws IOException {
        Map<String, Object> facts = new LinkedHashMap<>(Environment.describe(List.of()));
        facts.put("numaNodes", count(Path.of("/sys/devices/system/node"), "node[0-9]*"));
        facts.put("distribution", distribution());
        List<Object> all = new ArrayList<>();
        for (Path device : entries(devices, "*")) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("name", device.getFileName().toString());
            one.put("driver", driver(device));
            add(device, OF_DEVICE, one);
            for (Path port : entries(device.resolve("ports"), "*")) {
                Map<String, Object> values = new LinkedHashMap<>();
                add(port, OF_PORT, values);
                one.put("port " + port.getFileName(), values);
            }
            all.add(one);
        }
        facts.put("devices", all);
        return facts;
    }

    private static void add(Path folder, List<String> names, Map<String, Object> values)
            throws IOException {
        for (String name : names) {
            Path file = folder.resolve(name);
            if (Files.isReadable(file)) {
                values.put(name.substring(name.indexOf('/') + 1), Files.readString(file).strip());
            }
        }
    }

    /** Returns the name of the device's kernel driver, or "software" if there is no hardware. */
    private static String driver(Path device) throws IOException {
        Path link = device.resolve("device/driver");
        return Files.exists(link) ? link.toRealPath().getFileName().toString() : "software";
    }

    private static String distribution() throws IOException {
        Path file = Path.of("/etc/os-release");
        if (!Files.isReadable(file)) {
            return "unknown";
        }
        try (var lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith("PRETTY_NAME="))
                    .map(line -> line.substring(line.indexOf('=') + 1).replace("\"", ""))
                    .findFirst()
                    .orElse("unknown");
        }
    }

    private static int count(Path folder, String pattern) throws IOException {
        return entries(folder, pattern).size();
    }

    private static List<Path> entries(Path folder, String pattern) throws IOException {
        List<Path> entries = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder, pattern)) {
                stream.forEach(entries::add);
            }
        }
        entries.sort(null);
        return entries;
    }
}
