// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.SystemCounter;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;
import io.verbus.transport.TransportException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Tests destinations whose names are unknown when they are added. */
class UnknownNamesTest {
    private static final int STREAM = 10;

    @TempDir Path folder;
    private TestDriver a;
    private TestDriver b;
    private ChannelUri named;
    private ChannelUri there;

    @BeforeEach
    void open() throws IOException {
        a = new TestDriver(1, folder);
        b = new TestDriver(2, folder);
        try (RawSocket free = new RawSocket()) {
            named = ChannelUri.parse("verbus:udp?endpoint=later.x:" + free.port());
            there = ChannelUri.parse("verbus:udp?endpoint=127.0.0.1:" + free.port());
        }
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private TestStream publish() {
        return a.publish(
                ChannelUri.parse("verbus:udp?control-mode=manual|term-length=64k"), STREAM);
    }

    private void until(BooleanSupplier condition) {
        for (int i = 0; i < 30_000 && !condition.getAsBoolean(); i++) {
            a.turn(1);
            b.turn(1);
        }
        assertTrue(condition.getAsBoolean(), "not within 30 s of simulated time");
    }

    /** Advances both drivers' clocks by a long time. */
    private void turn(int seconds) {
        for (int i = 0; i < seconds * 1000; i++) {
            a.turn(1);
            b.turn(1);
        }
    }

    private void exchange(TestStream stream, TestImage image, long count) {
        until(
                () -> {
                    while (stream.offered < count && stream.offer()) {
                        a.turn();
                    }
                    image.poll(10);
                    return image.next == count;
                });
    }

    private long changes() {
        return a.counter(SystemCounter.RESOLUTION_CHANGES.label());
    }

    private static String error(TestDriver driver, int count) {
        assertEquals(count, driver.errors.size(), driver.errors.toString());
        return driver.errors.getLast();
    }

    @Test
    void sendsToDestinationOnceNameIsResolved() {
        b.subscribe(there, STREAM);
        TestStream stream = publish();
        a.transport.outbound().addDestination(stream, named);
        String error = error(a, 1);
        assertTrue(error.contains("endpoint=" + named.endpoint() + " cannot be resolved"), error);
        assertTrue(error.contains("the driver retries every 5s"), error);
        turn(21);
        assertEquals(List.of("later.x", "later.x", "later.x", "later.x"), a.lookUps);
        error(a, 1); // not reported again
        assertFalse(stream.connected);
        assertEquals(0, a.counter("connected to " + named.endpoint()));
        assertEquals(0, changes());
        a.hosts.put("later.x", "127.0.0.1");
        until(() -> stream.connected && b.images.size() == 1);
        exchange(stream, b.image(), 500);
        assertEquals(1, a.counter("connected to " + named.endpoint()));
        assertEquals(1, changes());
        error(a, 1);
    }

    /** The other destination receives data in the meantime, and both do afterwards. */
    @Test
    void sendsToOtherDestinationsWhileNameIsUnresolved() {
        b.subscribe(there, STREAM);
        TestStream stream = publish();
        a.transport.outbound().addDestination(stream, named);
        a.transport.outbound().addDestination(stream, there);
        until(() -> stream.connected && b.images.size() == 1);
        exchange(stream, b.image(), 100);
        error(a, 1);
    }

    @Test
    void forgetsDestinationRemovedBeforeItsNameIsResolved() {
        b.subscribe(there, STREAM);
        TestStream stream = publish();
        a.transport.outbound().addDestination(stream, named);
        a.transport.outbound().removeDestination(stream, named);
        assertEquals(-1, a.value("connected to " + named.endpoint()));
        a.hosts.put("later.x", "127.0.0.1");
        turn(7);
        assertEquals(List.of(), a.lookUps);
        assertFalse(stream.connected);
        a.transport.outbound().addDestination(stream, named);
        until(() -> stream.connected);
        error(a, 1);
    }

    @Test
    void forgetsDestinationOfClosedPublication() {
        TestStream stream = publish();
        a.transport.outbound().addDestination(stream, named);
        a.transport.outbound().closePublication(stream);
        until(() -> a.streams.isEmpty() && a.value("connected to " + named.endpoint()) < 0);
        turn(7);
        assertEquals(List.of(), a.lookUps);
    }

    /** The error is logged, and the name is looked up again. */
    @Test
    void retriesNameThatResolvesToUnusableAddress() {
        b.subscribe(there, STREAM);
        TestStream stream = publish();
        a.transport.outbound().addDestination(stream, named);
        a.hosts.put("later.x", "224.10.9.9");
        turn(6);
        assertTrue(error(a, 2).contains("is a multicast group"), a.errors.toString());
        a.hosts.put("later.x", "::1");
        turn(5);
        assertTrue(error(a, 3).contains("mixes IPv4 and IPv6"), a.errors.toString());
        assertEquals(0, changes());
        a.hosts.put("later.x", "127.0.0.1");
        until(() -> stream.connected);
        error(a, 3);
    }

    @Test
    void rejectsChannelWithUnknownName() {
        for (String refused :
                List.of(
                        "verbus:udp?endpoint=later.x:7|term-length=64k",
                        "verbus:udp?control=later.x:7|control-mode=dynamic|term-length=64k")) {
            String message =
                    assertThrows(
                                    TransportException.class,
                                    () -> a.publish(ChannelUri.parse(refused), STREAM))
                            .getMessage();
            assertTrue(message.contains("'later.x' cannot be resolved"), message);
            a.streams.clear();
        }
        assertThrows(TransportException.class, () -> a.subscribe(named, STREAM));
    }
}
