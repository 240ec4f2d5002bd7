// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.TransportType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

@Tag("lab")
@Tag("slow")
@Timeout(240)
class RegistrationLabTest {
    /** Runs without CAP_IPC_LOCK, which root otherwise has. */
    private static final List<String> LOW_LIMIT =
            List.of("prlimit", "--memlock=65536", "setpriv", "--bounding-set=-ipc_lock");

    @Test
    void reportsLockedMemoryLimitThatIsTooLow() throws Exception {
        Process child =
                LabChild.start(LOW_LIMIT, "register", Lab.addressB(), Integer.toString(1 << 20));
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(child.waitFor(60, TimeUnit.SECONDS));
        assertTrue(output.contains("cannot register 1048576 bytes"), output);
        assertTrue(output.contains("ibv_reg_mr: ENOMEM"), output);
        assertTrue(output.contains("limit of locked memory is 65536 bytes"), output);
        assertTrue(output.contains("ulimit -l"), output);
    }

    @Test
    void reportsUnmappedMemory() {
        try (Lab lab = new Lab()) {
            Lab.Pair pair = lab.connectTo(lab.listen());
            VerbsException thrown =
                    assertThrows(
                            VerbsException.class,
                            () -> pair.a().domain().register(4096, 4096, Access.REMOTE_WRITE));
            assertEquals(Errno.EFAULT, thrown.errno());
            assertTrue(thrown.getMessage().contains("must be mapped"), thrown.getMessage());
        }
    }

    @Test
    void namesFileOfReadOnlyMapping() throws Exception {
        try (Lab lab = new Lab()) {
            Path file = lab.file();
            lab.map(file, 4096);
            Lab.Pair pair = lab.connectTo(lab.listen());
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                long address =
                        channel.map(FileChannel.MapMode.READ_ONLY, 0, 4096, lab.arena).address();
                VerbsException thrown =
                        assertThrows(
                                VerbsException.class,
                                () ->
                                        pair.b()
                                                .domain()
                                                .register(address, 4096, Access.REMOTE_WRITE));
                assertEquals(Errno.EFAULT, thrown.errno());
                assertTrue(thrown.getMessage().contains(file + " on tmpfs"), thrown.getMessage());
                assertTrue(thrown.getMessage().contains("map it writable"), thrown.getMessage());
            }
        }
    }

    @Test
    void keepsDomainWithRegions() {
        try (Lab lab = new Lab()) {
            Lab.Pair pair = lab.connectTo(lab.listen());
            RegisteredMemory region = lab.register(pair.a(), 4096, Access.REMOTE_WRITE);
            lab.close(pair.a());
            pair.a().domain().close();
            Await.until("a refusal", () -> !lab.stayed.isEmpty(), lab::poll);
            assertEquals(1, lab.stayed.size(), lab.stayed::toString);
            assertTrue(lab.stayed.getFirst().getMessage().contains("ibv_dealloc_pd: EBUSY"));
            lab.stayed.clear();
            assertFalse(region.isReleased());
            region.close();
            region.close();
            assertTrue(region.isReleased());
            pair.a().domain().close();
        }
    }

    @Test
    void listsDevicesWithPortsAndAddresses() {
        List<DeviceInfo> devices = Devices.list();
        assertFalse(devices.isEmpty());
        for (DeviceInfo device : devices) {
            DeviceInfo.Port port = device.ports().getFirst();
            assertTrue(port.active(), device::toString);
            assertTrue(port.activeMtu() >= 256, device::toString);
            assertFalse(port.gids().isEmpty(), device::toString);
            // An iWARP device has only IP addresses.
            assertEquals(
                    device.transport() == TransportType.IWARP,
                    port.gids().getFirst().netdev().isEmpty(),
                    device::toString);
        }
    }
}
