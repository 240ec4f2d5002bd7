// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.Versions;
import io.verbus.transport.TestStream;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;

/** Drivers of adjacent releases communicate. */
class AdjacentReleasesTest {
    private static final int STREAM = 42;

    /** Length in bytes of the previous release's hello. */
    private static final int HELLO_3 = 22;

    @TempDir Path directory;

    /** Schema versions in the headers of messages. */
    private final Set<Integer> schemas = new TreeSet<>();

    private TwoDrivers net;

    @BeforeEach
    void start() {
        net = new TwoDrivers(System.nanoTime(), directory);
        net.network.tamper(this::heard);
    }

    private byte[] heard(byte[] message) {
        schemas.add((int) new UnsafeBuffer(message).getShort(6));
        return message;
    }

    private void assertCarries() {
        try (TwoDrivers drivers = net) {
            drivers.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = drivers.a.publish(TwoDrivers.CHANNEL, STREAM);
            drivers.until(
                    "carried",
                    () -> !drivers.b.images.isEmpty() && drivers.b.image().received > 100);
            drivers.connection().breakLink("cable");
            long before = drivers.b.image().received;
            drivers.until("carried again", () -> drivers.b.image().received > before + 100);
            stream.end();
            drivers.a.transport.outbound().closePublication(stream);
            drivers.until("released", () -> drivers.a.releasedStreams.contains(stream));
            assertEquals(1, drivers.b.images.size());
        }
    }

    @Test
    void usesCurrentVersionWithSameRelease() {
        assertCarries();
        assertEquals(Set.of(1), schemas);
    }

    @Test
    void usesPreviousVersionWithPreviousRelease() {
        net.network.tamperHellos(
                hello -> Arrays.copyOf(Arrays.copyOf(hello, HELLO_3), hello.length));
        assertCarries();
        assertEquals(Set.of(0), schemas);
    }

    @Test
    void usesCurrentVersionWithNextRelease() {
        net.network.tamperHellos(
                hello -> {
                    Hello own = Hello.read(hello);
                    Versions next = new Versions(4, 5);
                    return Arrays.copyOf(
                            new Hello(next, own.rejectCode(), own.driverId()).bytes(),
                            hello.length);
                });
        assertCarries();
        assertEquals(Set.of(1), schemas);
    }

    @Test
    void skipsFieldsOfNextRelease() {
        net.network.tamper(
                message -> {
                    byte[] longer = Arrays.copyOf(message, message.length + 9);
                    UnsafeBuffer buffer = new UnsafeBuffer(longer);
                    int block = buffer.getShort(0);
                    // If a message ends with its block, the block grows; otherwise other data
                    // follows the text.
                    if (8 + block == message.length) {
                        buffer.putShort(0, (short) (block + 9));
                    }
                    buffer.putShort(6, (short) 2);
                    return longer;
                });
        assertCarries();
        assertTrue(net.a.errors.stream().noneMatch(error -> error.contains("violated")));
    }
}
