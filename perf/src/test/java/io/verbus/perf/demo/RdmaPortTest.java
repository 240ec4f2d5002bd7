// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads a directory with the layout of {@code /sys/class/infiniband}. */
class RdmaPortTest {
    @TempDir Path devices;

    @Test
    void findsAddressOfInterfaceBehindActivePort() throws IOException {
        device("roce0", "4: ACTIVE\n", "lo");
        assertEquals(
                List.of(new RdmaInterface("roce0", "127.0.0.1", 8)), RdmaInterface.find(devices));
    }

    @Test
    void findsInterfaceNextToDevice() throws IOException {
        device("ib0", "4: ACTIVE\n", null);
        Files.createDirectories(devices.resolve("ib0/device/net/lo"));
        assertEquals(
                List.of(new RdmaInterface("ib0", "127.0.0.1", 8)), RdmaInterface.find(devices));
    }

    @Test
    void skipsPortsThatAreDownOrHaveNoAddress() throws IOException {
        device("down0", "1: DOWN\n", "lo");
        device("gone0", "4: ACTIVE\n", "no-such-link");
        assertEquals(List.of(), RdmaInterface.find(devices));
    }

    @Test
    void findsNothingWithoutRdmaInKernel() throws IOException {
        assertEquals(List.of(), RdmaInterface.find(devices.resolve("absent")));
    }

    @Test
    void isInSubnetOnlyIfBothPrefixesMatch() throws IOException {
        RdmaInterface port = new RdmaInterface("a", "10.1.2.3", 24);
        assertTrue(port.isInSubnetOf(new RdmaInterface("b", "10.1.2.200", 24)));
        assertTrue(port.isInSubnetOf(new RdmaInterface("b", "10.1.2.200", 16)));
        assertFalse(port.isInSubnetOf(new RdmaInterface("b", "10.1.200.200", 16)));
        assertFalse(port.isInSubnetOf(new RdmaInterface("b", "10.1.3.3", 24)));
        assertFalse(port.isInSubnetOf(new RdmaInterface("b", "10.1.2.4", 32)));
        assertTrue(
                new RdmaInterface("a", "10.1.2.3", 0)
                        .isInSubnetOf(new RdmaInterface("b", "192.168.0.1", 0)));
    }

    private void device(String name, String state, String interfaceName) throws IOException {
        Path port = devices.resolve(name).resolve("ports/1");
        Files.createDirectories(port.resolve("gid_attrs/ndevs"));
        Files.writeString(port.resolve("state"), state);
        if (interfaceName != null) {
            Files.writeString(port.resolve("gid_attrs/ndevs/0"), interfaceName + "\n");
        }
    }
}
