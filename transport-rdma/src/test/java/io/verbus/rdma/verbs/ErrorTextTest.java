// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbus.rdma.fabric.FabricHandler.Cause;

import org.agrona.LangUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

class ErrorTextTest {
    private static final byte[] ANSWER = {1, 2, 3};

    @TempDir Path directory;

    @Test
    void namesPackagesOfMissingLibrary() {
        String message =
                assertThrows(VerbsException.class, () -> SharedLibrary.open("libabsent.so.1"))
                        .getMessage();
        assertContains(message, "libabsent.so.1", "libibverbs1", "librdmacm1", "libibverbs and");
    }

    @Test
    void namesMissingFunctionOfLibrary() {
        SharedLibrary libc = SharedLibrary.open("libc.so.6");
        String message =
                assertThrows(VerbsException.class, () -> libc.function("ibv_absent")).getMessage();
        assertContains(message, "libc.so.6", "ibv_absent", "rdma-core");
    }

    @Test
    void explainsHowToAddDeviceIfNoneExists() {
        String message =
                assertThrows(VerbsException.class, () -> VerbsFabric.requireDevice(List.of()))
                        .getMessage();
        assertContains(message, "no RDMA device", "driver", "rdma_rxe");
    }

    @Test
    void refusesToOpenWithoutDevice() {
        assumeTrue(Files.notExists(Path.of("/sys/class/infiniband")));
        String message =
                assertThrows(
                                VerbsException.class,
                                () -> VerbsFabric.open(LangUtil::rethrowUnchecked))
                        .getMessage();
        assertTrue(message.contains("no RDMA device") || message.contains("libibverbs1"), message);
    }

    @Test
    void rejectsUnorderedDevicesByName() {
        var efa = new Devices.Listed("rdmap0s6", Device.transportOf(4));
        String message =
                assertThrows(VerbsException.class, () -> VerbsFabric.requireDevice(List.of(efa)))
                        .getMessage();
        assertContains(message, "rdmap0s6", "SRD", "order");
    }

    @Test
    void acceptsHostWithOneOrderedDevice() {
        VerbsFabric.requireDevice(
                List.of(
                        new Devices.Listed("rdmap0s6", Device.transportOf(4)),
                        new Devices.Listed("mlx5_0", Device.transportOf(0))));
    }

    @Test
    void rejectsUnsupportedPlatforms() {
        assertContains(
                assertThrows(
                                VerbsException.class,
                                () -> VerbsFabric.requirePlatform("s390x", ByteOrder.BIG_ENDIAN))
                        .getMessage(),
                "s390x");
        assertThrows(
                VerbsException.class,
                () -> VerbsFabric.requirePlatform("aarch64", ByteOrder.BIG_ENDIAN));
        VerbsFabric.requirePlatform("amd64", ByteOrder.LITTLE_ENDIAN);
        VerbsFabric.requirePlatform("aarch64", ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void namesCallErrnoAndLockedMemoryLimit() {
        VerbsException thrown =
                VerbsException.of("ibv_reg_mr", Errno.ENOMEM, "cannot register 8 bytes", "");
        assertEquals(Errno.ENOMEM, thrown.errno());
        assertContains(
                thrown.getMessage(),
                "cannot register 8 bytes (ibv_reg_mr: ENOMEM, Cannot allocate memory): ",
                Posix.lockedMemoryLimit(),
                "ulimit -l",
                "LimitMEMLOCK");
        assertTrue(
                Posix.lockedMemoryLimit().matches("unlimited|\\d+ bytes"),
                Posix.lockedMemoryLimit());
    }

    @Test
    void namesOtherCausesThanLockedMemoryLimit() {
        String[] others = {"regions", "queues", "its own memory", "ibv_devinfo -v", "huge pages"};
        String limited = VerbsException.outOfMemory("8388608 bytes");
        assertContains(limited, "is 8388608 bytes", "ulimit -l", "LimitMEMLOCK");
        assertContains(limited, others);
        String unlimited = VerbsException.outOfMemory("unlimited");
        assertContains(unlimited, "locked memory is unlimited");
        assertContains(unlimited, others);
        assertFalse(unlimited.contains("ulimit"), unlimited);
    }

    @Test
    void explainsDevicePermissions() {
        assertContains(
                VerbsException.of("ibv_open_device", Errno.EACCES, "no", "").getMessage(),
                "EACCES",
                "/dev/infiniband");
    }

    @Test
    void findsFileMappedAtAddress() throws IOException {
        Path file = Files.write(directory.resolve("a log"), new byte[8192]);
        try (Arena arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long address = channel.map(FileChannel.MapMode.READ_ONLY, 0, 8192, arena).address();
            assertEquals(file.toRealPath().toString(), Posix.mappedFile(address + 5000));
            assertEquals("", Posix.mappedFile(arena.allocate(8).address()));
        }
    }

    @Test
    void distinguishesMissingListenerFromRejection() {
        EndText.Ending nobody = EndText.of(rejected(8), "10.0.0.1:4000");
        assertEquals(Cause.REJECTED, nobody.cause());
        assertContains(nobody.reason(), "nothing listens at 10.0.0.1:4000");
        assertEquals(0, nobody.privateData().length);

        EndText.Ending refused = EndText.of(rejected(28), "10.0.0.1:4000");
        assertEquals(Cause.REJECTED, refused.cause());
        assertContains(refused.reason(), "10.0.0.1:4000 refused");
        assertArrayEquals(ANSWER, refused.privateData());
    }

    @Test
    void describesEachEndOfConnection() {
        assertEnd(VerbsAbi.RDMA_CM_EVENT_ADDR_ERROR, -Errno.ETIMEDOUT, Cause.UNREACHABLE, "host");
        assertEnd(VerbsAbi.RDMA_CM_EVENT_ROUTE_ERROR, -Errno.EINVAL, Cause.UNREACHABLE, "route");
        assertEnd(
                VerbsAbi.RDMA_CM_EVENT_UNREACHABLE, -Errno.ETIMEDOUT, Cause.UNREACHABLE, "answer");
        assertEnd(VerbsAbi.RDMA_CM_EVENT_CONNECT_ERROR, -Errno.EINVAL, Cause.FAILED, "EINVAL");
        assertEnd(VerbsAbi.RDMA_CM_EVENT_DISCONNECTED, 0, Cause.DISCONNECTED, "ended");
        assertEnd(VerbsAbi.RDMA_CM_EVENT_DEVICE_REMOVAL, 0, Cause.FAILED, "removed");
    }

    @Test
    void ignoresEventsOfLiveConnection() {
        int timeWaitExit = 15;
        assertNull(EndText.of(new CmEvent(null, null, timeWaitExit, 0, ANSWER), "10.0.0.1:4000"));
    }

    private static void assertEnd(int type, int status, Cause cause, String word) {
        EndText.Ending ending =
                EndText.of(new CmEvent(null, null, type, status, ANSWER), "10.0.0.1:40");
        assertEquals(cause, ending.cause());
        assertContains(ending.reason(), "10.0.0.1:40", word);
        assertEquals(0, ending.privateData().length);
    }

    private static CmEvent rejected(int status) {
        return new CmEvent(null, null, VerbsAbi.RDMA_CM_EVENT_REJECTED, status, ANSWER);
    }

    private static void assertContains(String text, String... parts) {
        for (String part : parts) {
            assertTrue(text.contains(part), () -> "no '" + part + "' in: " + text);
        }
    }
}
