// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.exceptions.RegistrationException;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.udp.UdpInteropTest;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.List;

/**
 * Errors name the channel as the client wrote it, with its unknown keys and in its original order.
 */
@Timeout(120)
class ChannelErrorsTest {
    private static final int STREAM = 10;

    /** Occupies the only port of the range. */
    private DatagramSocket occupied;

    private MediaDriver driver;
    private Aeron aeron;

    @BeforeEach
    void launch() throws IOException {
        occupied = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        int port = occupied.getLocalPort();
        driver =
                MediaDriver.launchEmbedded(
                        Drivers.config()
                                .transportOption("udp.receiver-port-range", port + " " + port));
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(driver.directory().toString())
                                .errorHandler(_ -> {}));
    }

    @AfterEach
    void close() {
        aeron.close();
        driver.close();
        occupied.close();
    }

    private static void assertNames(String channel, Runnable command) {
        RegistrationException refused = assertThrows(RegistrationException.class, command::run);
        assertTrue(refused.getMessage().contains(channel), refused.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aeron:udp?x=1|mtu=100|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|mtu=16k|term-length=64k|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|so-sndbuf=4k|mtu=8k|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|pub-wnd=2m|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|stream-id=7|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|term-id=1|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|term-offset=33|term-id=1|init-term-id=1|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|interface=203.0.113.1:PORT|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|interface=203.0.113.0/24|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|interface={nowhere0}|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|interface=nosuch.invalid|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|session-id=tag:99|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|response-correlation-id=99|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|endpoint=127.0.0.1",
                "aeron:udp?x=1|endpoint=127.0.0.1:0",
                "aeron:udp?x=1|endpoint=224.0.1.2:PORT",
                "aeron:udp?x=1|control-mode=dynamic",
                "aeron:udp?x=1|control=203.0.113.1:PORT|control-mode=dynamic",
                "aeron:udp?x=1|alias=y",
                "aeron:udp?x=1|tags=99",
                "aeron:tcp?x=1|endpoint=127.0.0.1:PORT",
                "aeron:ipc?x=1|term-length=65k",
                "aeron:ipc?x=1|pub-wnd=2m|term-length=64k",
                "aeron:ipc?x=1|session-id=tag:99",
                "aeron:rdma?x=1|mtu=100|endpoint=127.0.0.1:PORT",
                "aeron:rdma?x=1|alias=y|endpoint=127.0.0.1:PORT"
            })
    void namesChannelOfRejectedPublication(String text) throws IOException {
        String channel = text.replace("PORT", Integer.toString(UdpInteropTest.freePort()));
        assertNames(channel, () -> aeron.addPublication(channel, STREAM));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aeron:udp?x=1|rcv-wnd=8m|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|cc=vegas|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|stream-id=7|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|endpoint=203.0.113.1:PORT",
                "aeron:udp?x=1|endpoint=127.0.0.1:0",
                "aeron:udp?x=1|endpoint=nosuch.invalid:PORT",
                "aeron:udp?x=1|endpoint=224.0.1.1:PORT|interface={nowhere0}",
                "aeron:udp?x=1|media-rcv-ts-offset=x|endpoint=127.0.0.1:PORT",
                "aeron:udp?x=1|session-id=tag:5|endpoint=127.0.0.1:PORT",
                "aeron-spy:aeron:udp?x=1|alias=y",
                "aeron:ipc?x=1|stream-id=7",
                "aeron:ipc?x=1|session-id=abc",
                "aeron:rdma?x=1|alias=y|endpoint=127.0.0.1:PORT"
            })
    void namesChannelOfRejectedSubscription(String text) throws IOException {
        String channel = text.replace("PORT", Integer.toString(UdpInteropTest.freePort()));
        assertNames(channel, () -> aeron.addSubscription(channel, STREAM));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aeron:udp?x=1|alias=y",
                "aeron:udp?x=1|mtu=8k|endpoint=127.0.0.1:9",
                "aeron:ipc?x=1",
                "aeron-spy:aeron:udp?x=1|endpoint=127.0.0.1:9",
                "aeron:rdma?x=1|endpoint=127.0.0.1:9"
            })
    void namesChannelOfRejectedDestination(String destination) {
        try (Publication publication =
                aeron.addPublication("aeron:udp?control-mode=manual", STREAM)) {
            assertNames(destination, () -> publication.addDestination(destination));
            assertNames(destination, () -> publication.removeDestination(destination));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "aeron:udp?x=1|alias=y",
                "aeron:udp?x=1|rcv-wnd=8k|endpoint=127.0.0.1:9",
                "aeron:udp?x=1|endpoint=203.0.113.1:9",
                "aeron:udp?x=1|endpoint=nosuch.invalid:9"
            })
    void namesChannelOfRejectedSubscriptionDestination(String destination) {
        try (Subscription subscription =
                aeron.addSubscription("aeron:udp?control-mode=manual", STREAM)) {
            assertNames(destination, () -> subscription.addDestination(destination));
        }
    }

    @Test
    void namesChannelInWarning() throws IOException {
        String channel =
                "aeron:udp?x=1|alias=later|endpoint=nosuch.invalid:" + UdpInteropTest.freePort();
        try (Publication publication =
                aeron.addPublication("aeron:udp?control-mode=manual", STREAM)) {
            publication.addDestination(channel);
            List<String> errors = Drivers.errors(driver);
            assertEquals(1, errors.size(), errors.toString());
            assertTrue(errors.getFirst().contains("WARN: "), errors.toString());
            assertTrue(errors.getFirst().contains(channel), errors.toString());
        }
    }

    @Test
    void reportsTooLongChannelInAeronWording() {
        String channel = "aeron:ipc?alias=" + "x".repeat(5000);
        RegistrationException refused =
                assertThrows(
                        RegistrationException.class, () -> aeron.addPublication(channel, STREAM));
        assertTrue(
                refused.getMessage().contains("URI length (5016) exceeds max supported length"),
                refused.getMessage());
        assertTrue(refused.getMessage().contains("'aeron:ipc?alias=xxx"), refused.getMessage());
    }
}
