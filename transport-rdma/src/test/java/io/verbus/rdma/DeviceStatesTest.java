// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.TestHost;
import io.verbus.transport.Transport;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Tests the port states of RDMA devices, as the kernel's files report them. */
class DeviceStatesTest {
    private static final long LATER_NS = TimeUnit.SECONDS.toNanos(2);

    @TempDir Path folder;
    private TestHost host;
    private Path sysfs;
    private long nowNs = Long.MAX_VALUE - LATER_NS; // wraps around in the test

    @BeforeEach
    void make() {
        host =
                new TestHost(1, folder, 64) {
                    @Override
                    protected Transport transport() {
                        throw new AssertionError("there is no transport");
                    }
                };
        sysfs = folder.resolve("infiniband");
    }

    private void write(String device, int port, String state) throws IOException {
        Path ports = sysfs.resolve(device).resolve("ports").resolve(Integer.toString(port));
        Files.createDirectories(ports);
        Files.writeString(ports.resolve("state"), state + "\n");
    }

    private void look(DeviceStates states) {
        assertEquals(1, states.work(nowNs));
        assertEquals(0, states.work(nowNs), "not again at once");
        nowNs += LATER_NS;
    }

    @Test
    void updatesCounterOfEachPortState() throws IOException {
        try (DeviceStates states = new DeviceStates(host, sysfs, nowNs)) {
            look(states);
            assertEquals("", host.counterText(), "no RDMA");
            write("mlx5_0", 1, "4: ACTIVE");
            write("mlx5_0", 2, "1: DOWN");
            look(states);
            assertEquals(4, host.counter("device: mlx5_0 1"));
            assertEquals(1, host.counter("device: mlx5_0 2"));
            write("mlx5_0", 1, "1: DOWN");
            Files.move(sysfs.resolve("mlx5_0/ports/2"), folder.resolve("gone"));
            look(states);
            assertEquals(1, host.counter("device: mlx5_0 1"));
            assertEquals(0, host.counter("device: mlx5_0 2"));
        }
        assertFalse(host.counterText().contains("mlx5_0"), "freed");
    }

    @Test
    void ignoresPortWithInvalidState() throws IOException {
        try (DeviceStates states = new DeviceStates(host, sysfs, nowNs)) {
            write("mlx5_0", 1, "ACTIVE");
            write("rxe0", 1, "4: ACTIVE");
            look(states);
            assertEquals(4, host.counter("device: rxe0 1"));
            assertFalse(host.counterText().contains("mlx5_0"));
            assertTrue(host.errors.isEmpty(), () -> "" + host.errors);
        }
    }
}
