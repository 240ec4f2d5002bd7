// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.Drivers;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.files.DriverDirectory;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** An unknown host sends forged setups of streams to a driver and its clients. */
@Timeout(60)
class UdpForgedSetupTest {
    private static final int STREAM = 10;
    private static final int FORGED = 2_000;
    private static final int IMAGES = 16;
    private static final int COUNTED = CounterTypes.RECEIVER_POSITION;

    private MediaDriver driver;
    private Bus bus;
    private Bus other;
    private DatagramChannel stranger;
    private SocketAddress endpoint;
    private Subscription subscription;
    private String channel;

    @BeforeEach
    void launch() throws IOException {
        driver =
                MediaDriver.launch(
                        Drivers.config()
                                .directory(DriverDirectory.uniquePath())
                                .transportOption("udp.max-images-per-host", "" + IMAGES)
                                .transportOption("udp.max-term-length", "64m")
                                .build());
        bus = Drivers.connect(driver);
        other = Drivers.connect(driver);
        int port = UdpInteropTest.freePort();
        channel = "verbus:udp?endpoint=127.0.0.1:" + port;
        endpoint = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        stranger = DatagramChannel.open();
        stranger.bind(new InetSocketAddress("127.0.0.9", 0));
        subscription = bus.addSubscription(channel, STREAM);
    }

    @AfterEach
    void close() throws IOException {
        stranger.close();
        other.close();
        bus.close();
        driver.close();
    }

    private void forge(int stream, int termLength) throws IOException {
        for (int session = 1; session <= FORGED; session++) {
            ByteBuffer setup = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
            setup.putInt(0, 40).putShort(6, (short) 5);
            setup.putInt(12, session).putInt(16, stream).putInt(28, termLength).putInt(32, 1408);
            stranger.send(setup, endpoint);
            if (session % 16 == 0) {
                Thread.yield();
            }
        }
    }

    private long counter(String label) {
        long[] value = {-1};
        CountersReader counters = bus.counters();
        counters.forEach(
                (id, type, key, text) -> {
                    if (text.equals(label)) {
                        value[0] = counters.getCounterValue(id);
                    }
                });
        return value[0];
    }

    @Test
    void setupsWithLongTermsAllocateNothing() throws IOException {
        long before = Drivers.counter(bus, SystemCounter.LOG_BYTES);
        forge(STREAM, 1 << 30);
        Await.until("refused", () -> counter("udp: set-ups refused") > 0);
        assertEquals(before, Drivers.counter(bus, SystemCounter.LOG_BYTES));
        assertEquals(0, Drivers.count(bus, COUNTED));
        List<String> errors = Drivers.errors(driver);
        assertEquals(1, errors.size(), errors.toString());
        assertTrue(errors.getFirst().contains("127.0.0.9"), errors.getFirst());
        assertTrue(errors.getFirst().contains("or shorten the publication"), errors.getFirst());
        assertFalse(bus.isClosed());
        assertFalse(other.isClosed());
    }

    @Test
    void setupsOfUnsubscribedStreamsAllocateNothing() throws IOException {
        forge(STREAM + 1, 64 * 1024);
        exchangesAMessage(1);
        assertEquals(List.of(), Drivers.errors(driver));
    }

    @Test
    void limitsSetupsOfOneHostToItsShare() throws IOException {
        forge(STREAM, 64 * 1024);
        Await.until("images", () -> subscription.imageCount() == IMAGES);
        Await.until("refused", () -> counter("udp: set-ups refused") > 0);
        exchangesAMessage(IMAGES + 1);
        List<String> errors = Drivers.errors(driver);
        assertEquals(1, errors.size(), errors.toString());
        assertTrue(errors.getFirst().contains("udp.max-images-per-host"), errors.getFirst());
    }

    @Test
    void notifiesPublisherBeyondShareOfItsHost() {
        Queue<String> told = new ConcurrentLinkedQueue<>();
        BusContext context =
                Drivers.context(driver)
                        .publicationErrorHandler((publication, code, message) -> told.add(message));
        try (Bus publisher = Bus.connect(context)) {
            for (int i = 0; i <= IMAGES; i++) {
                publisher.addExclusivePublication(channel + "|term-length=64k", STREAM);
            }
            Await.until("told", () -> !told.isEmpty());
            String text = told.peek();
            assertTrue(text.contains("127.0.0.1"), text);
            assertTrue(text.contains("raise udp.max-images-per-host"), text);
            Await.until("images", () -> subscription.imageCount() == IMAGES);
            assertTrue(counter("udp: set-ups refused") > 0);
            String error = Drivers.errors(driver).getFirst();
            assertTrue(error.contains("raise udp.max-images-per-host"), error);
        }
    }

    /**
     * From a publisher on this host, whose address is another than the stranger's.
     *
     * @param images how many there are while it stands, its own included
     */
    private void exchangesAMessage(int images) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        int[] received = new int[1];
        try (Publication publication = other.addPublication(channel, STREAM)) {
            Await.until(
                    "a message",
                    () -> {
                        publication.offer(message);
                        subscription.poll((buffer, at, size, h) -> received[0]++, 10);
                        return received[0] > 0;
                    });
            assertEquals(images, Drivers.count(bus, COUNTED));
        }
    }
}
