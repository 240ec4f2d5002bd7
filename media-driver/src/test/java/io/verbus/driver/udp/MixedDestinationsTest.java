// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.RegistrationException;
import io.verbus.Subscription;
import io.verbus.channel.ChannelUri;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.Numbers;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.tools.ToolRun;
import io.verbus.driver.transports.LoopTransport;
import io.verbus.transport.Networks;
import io.verbus.transport.TransportProvider;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** One publication with destinations over UDP and over a transport of networks. */
@Timeout(60)
class MixedDestinationsTest {
    private static final int STREAM = 10;
    private static final int TERM = 64 * 1024;
    private static final String LOOP = "aeron:udp?endpoint=10.1.2.3:7400";
    private static final String MANUAL = "aeron:udp?control-mode=manual|term-length=64k";

    private final Numbers numbers = new Numbers();
    private final LoopTransport.Provider loop = new LoopTransport.Provider();
    private MediaDriver driver;
    private Bus bus;
    private String udp;

    @BeforeEach
    void launch() throws IOException {
        loop.networks = Networks.of("rdma.networks", "10.1.0.0/16");
        List<TransportProvider> providers = new ArrayList<>(List.of(loop));
        for (TransportProvider each : ServiceLoader.load(TransportProvider.class)) {
            if (each.media().equals("udp")) {
                providers.add(each);
            }
        }
        driver =
                MediaDriver.launch(
                        Drivers.config()
                                .directory(DriverDirectory.uniquePath())
                                .transportOption("udp.connection-timeout", "1s")
                                .build(),
                        providers);
        bus = Drivers.connect(driver);
        udp = "aeron:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
    }

    @AfterEach
    void close() {
        List<String> errors = Drivers.errors(driver);
        bus.close();
        driver.close();
        assertEquals(List.of(), errors);
    }

    /**
     * Sends the given number of terms, and reads them at each subscription; returns the next
     * number.
     */
    private long exchange(Publication publication, long first, int terms, Subscription... in) {
        List<List<Long>> read = new ArrayList<>();
        for (int i = 0; i < in.length; i++) {
            read.add(new ArrayList<>());
        }
        long end = publication.position() + (long) terms * TERM;
        long[] sent = {first};
        Await.done(
                terms + " terms read",
                () -> {
                    boolean isSent = publication.position() >= end;
                    if (!isSent && numbers.tryOffer(publication, sent[0], 1000)) {
                        sent[0]++;
                    }
                    boolean isRead = true;
                    for (int i = 0; i < in.length; i++) {
                        Numbers.poll(in[i], read.get(i));
                        isRead &= read.get(i).size() >= sent[0] - first;
                    }
                    return isSent && isRead;
                });
        for (List<Long> each : read) {
            assertEquals(Numbers.range(first, sent[0]), each);
        }
        return sent[0];
    }

    /** Each destination's connection starts at the address of the publication's socket. */
    @Test
    void sendsToDestinationFromAddressOfPublication() {
        try (Publication publication = bus.addPublication(MANUAL + "|control=10.1.0.1:0", STREAM)) {
            publication.addDestination(LOOP);
            assertEquals(
                    List.of("10.1.0.1"),
                    loop.opened.destinations().stream().map(ChannelUri::sourceHost).toList());
        }
    }

    /** UDP would carry it once the name is known, although RDMA must. */
    @Test
    void rejectsUnresolvableNameThatDeterminesTransport() {
        try (Publication publication = bus.addPublication(MANUAL, STREAM)) {
            RegistrationException refused =
                    assertThrows(
                            RegistrationException.class,
                            () ->
                                    publication.addDestination(
                                            "aeron:udp?endpoint=no-such.invalid:7400"));
            assertTrue(
                    refused.getMessage().contains("'no-such.invalid' cannot be resolved, so"),
                    refused.getMessage());
        }
    }

    @Test
    void deliversWholeStreamToEachDestination() {
        Subscription loop = bus.addSubscription(LOOP, STREAM);
        Subscription other = bus.addSubscription(udp, STREAM);
        try (Publication publication = bus.addPublication(MANUAL, STREAM)) {
            publication.addDestination(LOOP);
            publication.addDestination(udp);
            Await.until("images", () -> loop.isConnected() && other.isConnected());
            exchange(publication, 0, 20, loop, other);
            String streams = ToolRun.of("streams", "--dir", driver.directory().toString()).out();
            assertTrue(streams.matches("(?s).* rdma,udp +publisher-position .*"), streams);
            assertTrue(streams.matches("(?s).* rdma +receiver-position .*"), streams);
            assertTrue(streams.matches("(?s).* rdma +subscriber-position .*"), streams);
            assertTrue(streams.matches("(?s).* udp +subscriber-position .*"), streams);
        }
        Await.until(
                "ends",
                () -> {
                    Numbers.discard(loop); // possibly padding
                    Numbers.discard(other);
                    return !loop.isConnected() && !other.isConnected();
                });
    }

    /** A UDP destination, whose receivers may join late and be lost. */
    @Test
    void udpReceiverRejoinsWhileOtherContinues() {
        Subscription loop = bus.addSubscription(LOOP, STREAM);
        Publication publication = bus.addPublication(MANUAL, STREAM);
        publication.addDestination(udp);
        publication.addDestination(LOOP);
        Await.until("an image", loop::isConnected);
        long next = exchange(publication, 0, 10, loop);
        for (int i = 0; i < 2; i++) {
            try (Subscription other = bus.addSubscription(udp, STREAM)) {
                Await.until("an image", other::isConnected);
                next = exchange(publication, next, 10, loop, other);
            }
            next = exchange(publication, next, 10, loop);
        }
        publication.removeDestination(udp);
        exchange(publication, next, 10, loop);
    }

    @Test
    void otherReceiverRejoinsWhileUdpContinues() {
        Subscription other = bus.addSubscription(udp, STREAM);
        Publication publication = bus.addPublication(MANUAL + "|ssc=true", STREAM);
        publication.addDestination(udp);
        publication.addDestination(LOOP);
        Await.until("an image", other::isConnected);
        long next = exchange(publication, 0, 10, other);
        for (int i = 0; i < 2; i++) {
            try (Subscription loop = bus.addSubscription(LOOP, STREAM)) {
                Await.until("an image", loop::isConnected);
                next = exchange(publication, next, 10, loop, other);
            }
            next = exchange(publication, next, 10, other);
        }
        publication.removeDestination(LOOP);
        exchange(publication, next, 10, other);
    }

    @Test
    void slowerReceiverLimitsPublisher() {
        Subscription loop = bus.addSubscription(LOOP, STREAM);
        Subscription other = bus.addSubscription(udp, STREAM);
        Publication publication = bus.addPublication(MANUAL + "|fc=min", STREAM);
        publication.addDestination(LOOP);
        publication.addDestination(udp);
        Await.until("images", () -> loop.isConnected() && other.isConnected());
        List<Long> read = new ArrayList<>();
        long[] sent = {0};
        Await.until(
                "held back",
                () -> {
                    Numbers.poll(other, read);
                    while (numbers.tryOffer(publication, sent[0], 1000)) {
                        sent[0]++;
                    }
                    return publication.position() > TERM / 4
                            && numbers.result(publication, sent[0], 1000)
                                    == Publication.BACK_PRESSURED;
                });
        assertTrue(publication.position() <= TERM, "position " + publication.position());
        assertEquals(Numbers.range(0, sent[0]), Numbers.drain(loop, (int) sent[0]));
    }

    @Test
    void rejectsReceiverGroupAcrossTransports() {
        Publication publication = bus.addPublication(MANUAL + "|fc=tagged,g:7", STREAM);
        publication.addDestination(LOOP);
        RegistrationException refused =
                assertThrows(RegistrationException.class, () -> publication.addDestination(udp));
        assertEquals(ErrorCode.NOT_SUPPORTED, refused.code());
        assertTrue(refused.getMessage().contains("cannot count receivers"), refused.getMessage());
        publication.removeDestination(LOOP);
        publication.addDestination(udp);
    }
}
