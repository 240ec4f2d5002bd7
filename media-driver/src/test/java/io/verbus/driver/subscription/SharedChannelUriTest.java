// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.subscription;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.udp.UdpInteropTest;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;

/** Publisher and subscriber share one channel; each reads its own keys. */
@Timeout(60)
class SharedChannelUriTest {
    private static final int STREAM = 10;

    private MediaDriver driver;
    private Bus bus;

    @BeforeEach
    void launch() {
        driver = MediaDriver.launchEmbedded(Drivers.config().threading(ThreadingMode.SHARED));
        bus = Bus.connect(Drivers.context(driver));
    }

    @AfterEach
    void close() {
        bus.close();
        driver.close();
    }

    private void exchangeOn(String channel) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        try (Subscription subscription = bus.addSubscription(channel, STREAM);
                Publication publication = bus.addPublication(channel, STREAM)) {
            assertEquals(1 << 20, publication.termLength());
            assertEquals(1024 - 32, publication.maxPayloadLength());
            Await.until("sent", () -> publication.offer(message) > 0);
            Await.until("received", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
        }
    }

    @Test
    void exchangesMessagesOverIpc() {
        exchangeOn("verbus:ipc?term-length=1m|mtu=1k|tether=false|rejoin=true|alias=both");
    }

    @Test
    void exchangesMessagesOverUdp() throws IOException {
        exchangeOn(
                "verbus:udp?endpoint=127.0.0.1:"
                        + UdpInteropTest.freePort()
                        + "|term-length=1m|mtu=1k|window=64k|linger=10ms|ttl=1|max-resend=4"
                        + "|reliable=true|cc=static|nak-delay=1ms|tether=true");
    }

    /** The publication sends from the interface; a unicast subscription ignores it. */
    @Test
    void ignoresInterfaceOfUnicastSubscription() throws IOException {
        exchangeOn(
                "verbus:udp?endpoint=127.0.0.1:"
                        + UdpInteropTest.freePort()
                        + "|interface=127.0.0.1|term-length=1m|mtu=1k");
        String endpoint = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        try (Subscription one = bus.addSubscription(endpoint + "|interface=127.0.0.1", STREAM);
                Subscription other = bus.addSubscription(endpoint, STREAM);
                Publication publication = bus.addPublication(endpoint, STREAM)) {
            Await.until("joined", () -> one.imageCount() == 1 && other.imageCount() == 1);
            Await.until("connected", publication::isConnected);
        }
        BusException refused =
                assertThrows(
                        BusException.class,
                        () -> bus.addSubscription(endpoint + "|interface=a b", STREAM));
        assertTrue(refused.getMessage().contains("interface 'a b' is invalid"), "" + refused);
    }

    /** A dynamic subscription names the publication's control-mode. */
    @Test
    void subscribesWithControlModeOfPublication() throws IOException {
        String control =
                "verbus:udp?control=127.0.0.1:"
                        + UdpInteropTest.freePort()
                        + "|control-mode=dynamic";
        String endpoint = "|endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        try (Publication publication = bus.addPublication(control, STREAM);
                Subscription subscription = bus.addSubscription(control + endpoint, STREAM)) {
            Await.until("sent", () -> publication.offer(message) > 0);
            Await.until("received", () -> subscription.poll((b, o, l, h) -> {}, 1) == 1);
        }
        assertThrows(BusException.class, () -> bus.addPublication(control + endpoint, STREAM));
    }

    /** Subscriptions with equal settings share an endpoint. */
    @Test
    void sharesEndpointDespitePublicationKeys() throws IOException {
        String channel = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        try (Subscription one = bus.addSubscription(channel, STREAM);
                Subscription other = bus.addSubscription(channel + "|ttl=1|mtu=1k", STREAM);
                Publication publication = bus.addPublication(channel + "|window=64k", STREAM);
                Publication same = bus.addPublication(channel, STREAM)) {
            assertEquals(publication.sessionId(), same.sessionId());
            Await.until("joined", () -> one.imageCount() == 1 && other.imageCount() == 1);
            assertNotNamed("ttl=", "mtu=", "window=");
        }
    }

    /**
     * Asserts that the driver has dropped the keys: they have no effect, and no counter names them.
     */
    private void assertNotNamed(String... keys) {
        bus.counters()
                .forEach(
                        (id, type, key, label) -> {
                            for (String each : keys) {
                                assertFalse(label.contains(each), label);
                            }
                        });
    }

    @Test
    void rejectsInvalidKeysEvenIfOnlyOtherSideUsesThem() {
        for (String wrong : new String[] {"verbus:ipc?mtu=100", "verbus:ipc?ttl=1"}) {
            BusException refused =
                    assertThrows(BusException.class, () -> bus.addSubscription(wrong, STREAM));
            assertTrue(refused.getMessage().contains(wrong), refused.getMessage());
        }
        assertThrows(BusException.class, () -> bus.addPublication("verbus:ipc?tether=no", STREAM));
    }
}
