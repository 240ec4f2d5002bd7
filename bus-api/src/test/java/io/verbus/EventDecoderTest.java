// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.control.ErrorCode;
import io.verbus.codecs.control.MessageHeaderEncoder;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;

class EventDecoderTest {
    private static final List<DriverEvent> EVENTS =
            List.of(
                    new DriverEvent.CommandSucceeded(3),
                    new DriverEvent.CommandFailed(4, ErrorCode.RESOURCE, "no space: free some ü"),
                    new DriverEvent.PublicationReady(5, 6, -7, 8, 9, true, "publication-6.log"),
                    new DriverEvent.SubscriptionReady(10),
                    new DriverEvent.ImageAvailable(11, 12, -13, 14, 15, 64, "image-11.log", "src"),
                    new DriverEvent.ImageUnavailable(16, 17, "ended"),
                    new DriverEvent.PublicationFailed(18, ErrorCode.REJECTED, ""),
                    new DriverEvent.SubscriptionFailed(20, ErrorCode.RESOURCE, "no room"),
                    new DriverEvent.ClientTimedOut(19));

    private final EventDecoder decoder = new EventDecoder();

    @Property(tries = 50)
    void decodesEveryEvent(@ForAll("events") DriverEvent event) {
        byte[] bytes = EventEncoding.encode(event);
        assertEquals(event, decoder.decode(new UnsafeBuffer(bytes), 0, bytes.length));
    }

    @Property(tries = 500)
    void refusesEventsThatAreCutShort(
            @ForAll("events") DriverEvent event, @ForAll("cuts") double cut) {
        byte[] bytes = EventEncoding.encode(event);
        int length = (int) (cut * bytes.length);
        // What lies behind the cut is there to be read by mistake.
        assertThrows(BusException.class, () -> decoder.decode(new UnsafeBuffer(bytes), 0, length));
    }

    @Property(tries = 5000)
    void throwsNothingButBusExceptionsAtDamagedEvents(
            @ForAll("events") DriverEvent event, @ForAll("cuts") double where, @ForAll byte value) {
        byte[] bytes = EventEncoding.encode(event);
        bytes[(int) (where * bytes.length)] = value;
        decode(bytes);
    }

    @Property(tries = 5000)
    void throwsNothingButBusExceptionsAtRandomBytes(
            @ForAll("templates") int template, @ForAll @Size(max = 100) byte[] bytes) {
        decode(bytes);
        if (bytes.length >= MessageHeaderEncoder.ENCODED_LENGTH) {
            new MessageHeaderEncoder()
                    .wrap(new UnsafeBuffer(bytes), 0)
                    .templateId(template)
                    .schemaId(MessageHeaderEncoder.SCHEMA_ID)
                    .blockLength(Math.min(40, bytes.length - MessageHeaderEncoder.ENCODED_LENGTH));
            decode(bytes);
        }
    }

    private void decode(byte[] bytes) {
        // Exactly as long as the event: with bounds checks on, a read past the end would throw.
        try {
            decoder.decode(new UnsafeBuffer(bytes), 0, bytes.length);
        } catch (BusException refused) {
            assertTrue(refused.getMessage().contains("malformed"), refused.getMessage());
        }
    }

    @Property(tries = 20)
    void refusesWhatIsNoPath(@ForAll("paths") String path) {
        byte[] bytes =
                EventEncoding.encode(new DriverEvent.PublicationReady(1, 1, 1, 1, 1, false, path));
        assertThrows(
                BusException.class, () -> decoder.decode(new UnsafeBuffer(bytes), 0, bytes.length));
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
    Arbitrary<Integer> templates() {
        return Arbitraries.integers().between(18, 30);
    }

    @Provide
    Arbitrary<String> paths() {
        return Arbitraries.of("", "a\0b", "\0");
    }
}
