// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.driver.Await;
import io.verbus.rdma.common.Hello;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Hosts that prove that they have a key, over real devices. */
@Tag("lab")
@Timeout(120)
class KeysLabTest {
    private static final int PORT = 24_365;
    private static final int STREAM = 1;

    @TempDir Path folder;

    private Host host(String address, int digit) throws IOException {
        Path file = folder.resolve("keys-" + digit);
        Files.writeString(file, "0.0.0.0/0 " + ("0" + digit).repeat(32) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return Host.start(
                address, builder -> builder.transportOption("rdma.key-file", file.toString()));
    }

    private static String audit(Host host) throws IOException {
        return Files.readString(host.directory().resolve("audit.log"));
    }

    @Test
    void carriesMessagesOfHostWithKey() throws IOException {
        Script script = Script.upTo(20, 1000);
        try (Host b = host(Host.addressB(), 1);
                Host a = host(Host.addressA(), 1)) {
            Subscription in = b.connect().addSubscription(Host.received(b.channel(PORT)), STREAM);
            Publication out = a.connect().addPublication(Host.overWire(b.channel(PORT)), STREAM);
            new Writer(out, script).write(200);
            Reader.fromFirst(script).read(in, 200);
            String line = "admitted rdma peer=" + Host.addressA() + ":";
            Await.until(
                    "a line",
                    () -> {
                        try {
                            return audit(b).contains(line)
                                    && audit(b).contains("with the key of its network");
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
        }
    }

    @Test
    void rejectsHostsWithWrongOrMissingKey() throws IOException {
        try (Host b = host(Host.addressB(), 1);
                Host a = host(Host.addressA(), 2)) {
            Subscription in = b.connect().addSubscription(Host.received(b.channel(PORT)), STREAM);
            Publication out = a.connect().addPublication(Host.overWire(b.channel(PORT)), STREAM);
            b.awaitError("its key differs from");
            a.awaitError("which lacks the network's key");
            a.expectOfClients("which lacks the network's key");
            assertFalse(out.isConnected());
            try (RawPeer raw = new RawPeer().connect(Host.addressB(), PORT, RawPeer.goodHello())) {
                assertTrue(raw.end().startsWith("REJECTED"), raw.end());
                assertEquals(RejectCode.NOT_AUTHENTICATED, Hello.read(raw.answer()).rejectCode());
            }
            b.expect("its driver has no key for this network");
            assertTrue(in.hasNoImages());
        }
    }
}
