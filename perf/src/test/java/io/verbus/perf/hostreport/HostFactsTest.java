// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.hostreport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

class HostFactsTest {
    @TempDir Path devices;
    @TempDir Path other;

    @Test
    void readsFactsOfDevice() throws Exception {
        Path port = Files.createDirectories(devices.resolve("mlx5_0/ports/1"));
        Path bus = Files.createDirectories(other.resolve("bus"));
        Path module = Files.createDirectories(other.resolve("mlx5_core"));
        Files.createSymbolicLink(devices.resolve("mlx5_0/device"), bus);
        Files.createSymbolicLink(bus.resolve("driver"), module);
        Files.writeString(bus.resolve("numa_node"), "1\n");
        Files.writeString(devices.resolve("mlx5_0/fw_ver"), "20.35.1012\n");
        Files.writeString(port.resolve("rate"), "100 Gb/sec (4X EDR)\n");
        Map<String, Object> facts = HostFacts.read(devices);
        assertEquals(
                Map.of(
                        "name",
                        "mlx5_0",
                        "driver",
                        "mlx5_core",
                        "fw_ver",
                        "20.35.1012",
                        "numa_node",
                        "1",
                        "port 1",
                        Map.of("rate", "100 Gb/sec (4X EDR)")),
                ((List<?>) facts.get("devices")).getFirst());
    }

    @Test
    void readsFactsOfHostWithoutDevices() throws Exception {
        Map<String, Object> facts = HostFacts.read(devices.resolve("none"));
        assertEquals(List.of(), facts.get("devices"));
        assertTrue(facts.get("kernel").toString().length() > 1);
    }
}
