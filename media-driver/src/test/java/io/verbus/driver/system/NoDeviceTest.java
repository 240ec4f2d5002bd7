// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.RegistrationException;
import io.verbus.Subscription;
import io.verbus.codecs.control.ErrorCode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

@Timeout(60)
class NoDeviceTest {
    @Test
    void rejectsRdmaChannelsAndServesOthers() {
        assumeFalse(Files.isDirectory(Path.of("/sys/class/infiniband")), "there is a device");
        try (Host host = Host.start("127.0.0.1", builder -> {})) {
            Bus bus = host.connect();
            String channel = host.channel(24_329);
            checkRefused(() -> bus.addPublication(channel, 1));
            checkRefused(() -> bus.addSubscription(channel, 1));

            Script script = Script.of(30, 100);
            try (Subscription in = bus.addSubscription("verbus:ipc", 1);
                    Publication out = bus.addPublication("verbus:ipc", 1)) {
                new Writer(out, script).write(10);
                Reader.fromFirst(script).read(in, 10);
            }
            // The client can act, and was notified: the driver itself is healthy.
            assertEquals(List.of(), host.errors());
        }
    }

    /** Channels for RDMA are rejected, never carried by UDP. */
    @Test
    void rejectsUdpChannelsOfRdmaNetworks() {
        assumeFalse(Files.isDirectory(Path.of("/sys/class/infiniband")), "there is a device");
        try (Host host =
                Host.start(
                        "127.0.0.1",
                        builder -> builder.transportOption("rdma.networks", "127.0.0.0/8"))) {
            Bus bus = host.connect();
            String channel = "aeron:udp?endpoint=127.0.0.1:24329";
            checkRefused(() -> bus.addPublication(channel, 1));
            checkRefused(() -> bus.addSubscription(channel, 1));
            try (Publication out =
                    bus.addPublication("aeron:udp?control-mode=manual|term-length=64k", 1)) {
                checkRefused(() -> out.addDestination(channel));
                out.addDestination("aeron:udp?endpoint=127.1.2.3.invalid:24329");
            } catch (RegistrationException e) {
                assertTrue(e.getMessage().contains("127.1.2.3.invalid"), e.getMessage());
            }
            assertEquals(List.of(), host.errors());
        }
    }

    /** Either the libraries are missing here, or they find no device. */
    private static void checkRefused(Executable add) {
        RegistrationException refused = assertThrows(RegistrationException.class, add);
        String message = refused.getMessage();
        assertEquals(ErrorCode.GENERIC_ERROR, refused.code(), message);
        assertTrue(
                message.contains("this host has no RDMA device") && message.contains("rdma_rxe")
                        || message.contains("cannot load the library")
                                && message.contains("libibverbs1"),
                message);
        assertEquals(1, message.lines().count(), message);
    }
}
