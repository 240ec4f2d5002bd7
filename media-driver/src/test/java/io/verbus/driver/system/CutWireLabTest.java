// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** The lab's wire is cut under a stream: both sides notice, and the stream goes on where it was. */
@Tag("lab")
@Timeout(240)
class CutWireLabTest {
    @AfterEach
    void restore() {
        if (Wire.isHere()) {
            Wire.restore();
        }
    }

    /** Over TCP nothing but a probe tells that the wire is cut. */
    private static Host host(String address) {
        return Host.start(
                address,
                builder ->
                        builder.transportOption("rdma.resume-timeout", "200s")
                                .transportOption("rdma.probe-timeout", "10s"));
    }

    private static Host expectingLoss(Host host) {
        host.expect("is lost");
        host.expect("cannot connect to");
        host.expectOfClients("is lost");
        host.expectOfClients("cannot connect to");
        return host;
    }

    /** Offers and reads until so many messages were read since the first. */
    private static void exchange(Writer writer, Reader reader, Subscription in, long messages) {
        reader.poll(
                in,
                messages + " messages",
                () -> {
                    if (writer.next() < messages) {
                        writer.offer();
                    }
                    return reader.count() >= messages;
                });
    }

    @Test
    void goesOnWhereItWasWhenTheWireIsRestored() {
        Wire.assumeHere();
        Script script = Script.upTo(60, 1000);
        try (Host b = expectingLoss(host(Host.addressB()));
                Host a = expectingLoss(host(Host.addressA()))) {
            String channel = b.channel(24_334, "term-length=64k");
            Subscription in = b.connect().addSubscription(channel, 1);
            Publication out = a.connect().addPublication(Host.overWire(channel), 1);
            Writer writer = new Writer(out, script).write(100);
            Reader reader = Reader.fromFirst(script);
            reader.read(in, 100);
            Image image = in.imageBySessionId(out.sessionId());
            long notConnected = writer.notConnected();

            Wire.cut();
            writer.write(120);
            a.awaitError("is lost");
            b.awaitError("is lost");
            writer.write(130);
            assertTrue(out.isConnected(), "publishers see back pressure");
            assertFalse(image.isClosed(), image::toString);

            Wire.restore();
            a.awaitCounter(": resumes", resumes -> resumes == 1);
            exchange(writer, reader, in, 1000);
            assertEquals(notConnected, writer.notConnected());
            assertFalse(image.isClosed(), image::toString);
            assertEquals(image, in.imageBySessionId(out.sessionId()));
            assertEquals(1, in.imageCount());
        }
    }

    /**
     * The ends lose their carrier, for a moment or longer than a connection lives without an
     * answer.
     */
    @ParameterizedTest
    @ValueSource(longs = {300, 3_000, 15_000})
    void goesOnThroughLinksThatGoDownAndUp(long millis) {
        Wire.assumeHere();
        Script script = Script.upTo(62, 1000);
        try (Host b = expectingLoss(host(Host.addressB()));
                Host a = expectingLoss(host(Host.addressA()))) {
            String channel = b.channel(24_342, "term-length=64k");
            Subscription in = b.connect().addSubscription(channel, 1);
            Publication out = a.connect().addPublication(Host.overWire(channel), 1);
            Writer writer = new Writer(out, script).write(50);
            Reader reader = Reader.fromFirst(script);
            reader.read(in, 50);
            Image image = in.imageBySessionId(out.sessionId());
            long notConnected = writer.notConnected();
            writer.write(70);
            Wire.flap(millis);
            exchange(writer, reader, in, 1000);
            assertEquals(notConnected, writer.notConnected());
            assertFalse(image.isClosed(), image::toString);
            assertEquals(image, in.imageBySessionId(out.sessionId()));
        }
    }

    /** A device stays open as long as its process, and remembers what befell it. */
    @Test
    void holdsNothingAgainstALinkThatWasDownBeforeTheDriverStarted() {
        Wire.assumeHere();
        Script script = Script.upTo(63, 1000);
        for (int round = 0; round < 2; round++) {
            try (Host b = Host.b();
                    Host a = Host.a()) {
                String channel = b.channel(24_345, "term-length=64k");
                Subscription in = b.connect().addSubscription(channel, 1);
                Publication out = a.connect().addPublication(Host.overWire(channel), 1);
                Writer writer = new Writer(out, script);
                exchange(writer, Reader.fromFirst(script), in, 200);
                assertEquals(List.of(0L), a.counters(": failures"));
            }
            if (round == 0) {
                Wire.flap(300);
            }
        }
    }

    @Test
    void goesOnThroughAWireThatIsCutAgainAndAgain() {
        Wire.assumeHere();
        Script script = Script.upTo(61, 1000);
        try (Host b = expectingLoss(host(Host.addressB()));
                Host a = expectingLoss(host(Host.addressA()))) {
            String channel = b.channel(24_335, "term-length=64k");
            Subscription in = b.connect().addSubscription(channel, 1);
            Publication out = a.connect().addPublication(Host.overWire(channel), 1);
            Writer writer = new Writer(out, script).write(50);
            Reader reader = Reader.fromFirst(script);
            reader.read(in, 50);
            Image image = in.imageBySessionId(out.sessionId());
            long notConnected = writer.notConnected();
            for (int i = 0; i < 3; i++) {
                long failures = a.counters(": failures").getFirst();
                Wire.cut();
                writer.write(writer.next() + 20);
                a.awaitCounter(": failures", count -> count > failures);
                Wire.restore();
                exchange(writer, reader, in, writer.next() + 500);
            }
            assertEquals(notConnected, writer.notConnected());
            assertFalse(image.isClosed(), image::toString);
            assertEquals(image, in.imageBySessionId(out.sessionId()));
        }
    }
}
