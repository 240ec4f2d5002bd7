// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.codecs.control.ErrorCode;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

import org.agrona.concurrent.UnsafeBuffer;

import java.net.InetSocketAddress;
import java.util.List;

class EventDecoderTest {
    private static final List<DriverEvent> EVENTS =
            List.of(
                    new DriverEvent.CommandSucceeded(3),
                    new DriverEvent.CommandFailed(
                            4, ErrorCode.STORAGE_SPACE, "no space: free some"),
                    new DriverEvent.PublicationReady(
                            5, 6, -7, 8, 9, 47, true, "/dev/shm/d/publications/6.logbuffer"),
                    new DriverEvent.SubscriptionReady(10, 48),
                    new DriverEvent.ImageAvailable(
                            11, 12, -13, 14, 15, "/d/images/11.logbuffer", "src"),
                    new DriverEvent.ImageUnavailable(16, 17),
                    new DriverEvent.PublicationFailed(
                            18, -1, -1, -1, null, ErrorCode.IMAGE_REJECTED, ""),
                    new DriverEvent.PublicationFailed(
                            28,
                            29,
                            30,
                            31,
                            new InetSocketAddress("10.1.2.3", 65535),
                            ErrorCode.IMAGE_REJECTED,
                            "no"),
                    new DriverEvent.PublicationFailed(
                            32,
                            -1,
                            33,
                            -1,
                            new InetSocketAddress("fe80::1", 1),
                            ErrorCode.GENERIC_ERROR,
                            "no"),
                    new DriverEvent.CounterReady(20, 21),
                    new DriverEvent.StaticCounterReady(22, 23),
                    new DriverEvent.CounterGone(24, 25),
                    new DriverEvent.NextSessionId(26, -27),
                    new DriverEvent.ClientTimedOut(19));

    private final EventDecoder decoder = new EventDecoder();

    @Property(tries = 50)
    void decodesEveryEvent(@ForAll("events") DriverEvent event) {
        EventEncoding encoded = EventEncoding.of(event);
        assertEquals(event, decode(encoded, encoded.bytes().length));
    }

    @Property(tries = 500)
    void rejectsTruncatedEvents(@ForAll("events") DriverEvent event, @ForAll("cuts") double cut) {
        EventEncoding encoded = EventEncoding.of(event);
        int length = (int) (cut * encoded.bytes().length);
        // The bytes after the cut are still there, so a decoder could read them by mistake.
        assertThrows(BusException.class, () -> decode(encoded, length));
    }

    private DriverEvent decode(EventEncoding encoded, int length) {
        return decoder.decode(encoded.typeId(), new UnsafeBuffer(encoded.bytes()), 0, length);
    }

    @Property(tries = 5000)
    void throwsOnlyBusExceptionsForDamagedEvents(
            @ForAll("events") DriverEvent event, @ForAll("cuts") double where, @ForAll byte value) {
        EventEncoding encoded = EventEncoding.of(event);
        byte[] bytes = encoded.bytes();
        bytes[(int) (where * bytes.length)] = value;
        decode(encoded.typeId(), bytes);
    }

    @Property(tries = 5000)
    void throwsOnlyBusExceptionsForRandomBytes(
            @ForAll("types") int typeId, @ForAll @Size(max = 100) byte[] bytes) {
        decode(typeId, bytes);
    }

    private void decode(int typeId, byte[] bytes) {
        // Exactly as long as the event: with bounds checks, a read past the end throws.
        try {
            decoder.decode(typeId, new UnsafeBuffer(bytes), 0, bytes.length);
        } catch (BusException refused) {
            assertTrue(refused.getMessage().contains("malformed"), refused.getMessage());
        }
    }

    @Property(tries = 20)
    void rejectsInvalidPaths(@ForAll("paths") String path) {
        EventEncoding encoded =
                EventEncoding.of(new DriverEvent.PublicationReady(1, 1, 1, 1, 1, -1, false, path));
        assertThrows(BusException.class, () -> decode(encoded, encoded.bytes().length));
    }

    @Provide
    Arbitrary<DriverEvent> events() {
        return Arbitraries.of(EVENTS);
    }

    @Provide
    Arbitrary<Double> cuts() {
        return Arbitraries.doubles().between(0, true, 1, false);
    }

    @Provide
    Arbitrary<Integer> types() {
        return Arbitraries.integers().between(0xF00, 0xF10);
    }

    @Provide
    Arbitrary<String> paths() {
        return Arbitraries.of("", "a\0b", "\0");
    }
}
