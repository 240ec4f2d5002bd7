// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** The loopback interface represents that of a device. */
class DeviceSubnetsTest {
    private static final InetAddress NEIGHBOUR = InetAddress.ofLiteral("127.9.9.9");

    @TempDir Path devices;

    @Test
    void findsSubnetOfRoceDeviceByGidInterface() throws Exception {
        Path names = Files.createDirectories(devices.resolve("roce/ports/1/gid_attrs/ndevs"));
        Files.writeString(names.resolve("0"), "lo\n");
        Files.createDirectory(names.resolve("1")); // not readable, like an unused entry
        assertTrue(DeviceSubnets.find(devices).contains(NEIGHBOUR));
    }

    @Test
    void findsSubnetOfInfiniBandDeviceByNetFolder() throws Exception {
        Files.createDirectories(devices.resolve("ib/ports/1"));
        Files.createDirectories(devices.resolve("ib/device/net/lo"));
        assertTrue(DeviceSubnets.find(devices).contains(NEIGHBOUR));
    }

    @Test
    void ignoresIwarpGidOfUnknownInterface() throws Exception {
        Path gids = Files.createDirectories(devices.resolve("iwarp/ports/1/gids"));
        Files.writeString(devices.resolve("iwarp/node_type"), "4: RNIC\n");
        Files.writeString(gids.resolve("0"), "0200:dead:beef:0000:0000:0000:0000:0000\n");
        assertNull(DeviceSubnets.find(devices), "no interface has this address");
    }

    @Test
    void findsNothingWithoutDevices() throws Exception {
        assertNull(DeviceSubnets.find(devices.resolve("absent")));
    }

    @Test
    void findsPrefixLengthOfLocalAddress() throws Exception {
        assertEquals(8, DeviceSubnets.prefixLength(InetAddress.ofLiteral("127.0.0.1")));
        assertEquals(0, DeviceSubnets.prefixLength(InetAddress.ofLiteral("192.0.2.1")));
    }
}
