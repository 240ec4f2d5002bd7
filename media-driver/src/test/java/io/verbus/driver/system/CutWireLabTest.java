// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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

/**
 * The lab's wire is cut under a stream: both sides notice, and the stream resumes at its position.
 */
@Tag("lab")
@Tag("kernel")
@Timeout(240)
@Tag("slow")
class CutWireLabTest {
    @AfterEach
    void restore() {
        if (Wire.isHere()) {
            Wire.restore();
        }
    }

    private static Host host(String address) {
        return host(address, "200s", "10s");
    }

    /** Over TCP only a probe detects that the wire is cut. */
    private static Host host(String address, String resumeTimeout, String probeTimeout) {
        return Host.start(
                address,
                builder ->
                        builder.transportOption("rdma.resume-timeout", resumeTimeout)
                                .transportOption("rdma.probe-timeout", probeTimeout)
                                .transportOption("rdma.ack-timeout", "100ms"));
    }

    /** A stream over the wire, which must continue as if nothing had happened. */
    private static final class Flow {
        final Writer writer;
        private final Subscription in;
        private final Publication out;
        private final Reader reader;
        private final Image image;
        private final long notConnected;

        /** Starts it with the given number of messages, and waits until they have arrived. */
        Flow(Host a, Host b, Script script, int port, long messages) {
            String channel = b.channel(port, "term-length=64k");
            in = b.connect().addSubscription(Host.received(channel), 1);
            out = a.connect().addPublication(Host.overWire(channel), 1);
            writer = new Writer(out, script).write(messages);
            reader = Reader.fromFirst(script);
            reader.read(in, messages);
            image = in.imageBySessionId(out.sessionId());
            notConnected = writer.notConnected();
        }

        /** Offers and reads until the given number of messages was read since the first. */
        void exchange(long messages) {
            reader.exchange(writer, in, messages);
        }

        /** Offers and reads until all was read up to a message. */
        void exchangeUpTo(long message, Reader other) {
            other.poll(
                    in,
                    "message " + message,
                    () -> {
                        if (writer.next() < message) {
                            writer.offer();
                        }
                        return other.next() == message;
                    });
        }

        void assertNobodyIsTold() {
            assertTrue(out.isConnected(), "publishers see back pressure");
            assertFalse(image.isClosed(), image::toString);
        }

        void assertUninterrupted() {
            assertEquals(notConnected, writer.notConnected());
            assertFalse(image.isClosed(), image::toString);
            assertEquals(image, in.imageBySessionId(out.sessionId()));
            assertEquals(1, in.imageCount());
        }
    }

    @Test
    void resumesAfterOutage() {
        Wire.assumeHere();
        try (Host b = host(Host.addressB()).expectLoss();
                Host a = host(Host.addressA()).expectLoss()) {
            Flow flow = new Flow(a, b, Script.upTo(60, 1000), 24_334, 100);
            Wire.cut();
            flow.writer.write(120);
            a.awaitError("is lost");
            b.awaitError("is lost");
            flow.writer.write(130);
            flow.assertNobodyIsTold();

            Wire.restore();
            a.awaitCounter(": resumes", resumes -> resumes == 1);
            flow.exchange(1000);
            flow.assertUninterrupted();
        }
    }

    /**
     * The ends lose their carrier, briefly or for longer than a connection survives without an
     * answer.
     */
    @ParameterizedTest
    @ValueSource(longs = {300, 3_000, 15_000})
    void resumesAfterLinkFlap(long millis) {
        Wire.assumeHere();
        assumeTrue(Wire.allowsFlaps(), "this kernel's devices do not live through flaps");
        try (Host b = host(Host.addressB()).expectLoss();
                Host a = host(Host.addressA()).expectLoss()) {
            Flow flow = new Flow(a, b, Script.upTo(62, 1000), 24_342, 50);
            flow.writer.write(70);
            Wire.flap(millis);
            flow.exchange(1000);
            flow.assertUninterrupted();
        }
    }

    /** A device stays open for the life of its process, and remembers earlier events. */
    @Test
    void ignoresLinkFlapsBeforeDriverStart() {
        Wire.assumeHere();
        Script script = Script.upTo(63, 1000);
        for (int round = 0; round < 2; round++) {
            try (Host b = Host.b();
                    Host a = Host.a()) {
                String channel = b.channel(24_345, "term-length=64k");
                Subscription in = b.connect().addSubscription(Host.received(channel), 1);
                Publication out = a.connect().addPublication(Host.overWire(channel), 1);
                Writer writer = new Writer(out, script);
                Reader.fromFirst(script).exchange(writer, in, 200);
                assertEquals(List.of(0L), a.counters(": failures"));
            }
            if (round == 0) {
                Wire.flap(300);
            }
        }
    }

    /** Messages lost in a long outage are not lost in the next. */
    @Test
    @Tag("soak")
    void resumesAfterShortOutagesThatFollowLongOutage() {
        Wire.assumeHere();
        try (Host b = host(Host.addressB(), "15s", "3s").expectLoss();
                Host a = host(Host.addressA(), "15s", "3s").expectLoss()) {
            Script script = Script.upTo(64, 1000);
            Flow flow = new Flow(a, b, script, 24_346, 50);
            Wire.cut();
            flow.writer.write(flow.writer.next() + 20);
            a.awaitError("is lost");
            b.awaitError("has not reconnected within");
            flow.reader.poll(flow.in, "its end", flow.image::isClosed);
            Wire.restore();
            Reader reader = Reader.fromAny(script);
            flow.exchangeUpTo(flow.writer.next() + 100, reader);
            a.awaitError("has ended the image");
            a.expectOfClients("has ended the image");
            a.expectOfClients("has not resumed");

            Image second = flow.in.imageBySessionId(flow.out.sessionId());
            assertNotEquals(flow.image, second);
            for (int i = 0; i < 2; i++) {
                long resumes = a.counters(": resumes").getFirst();
                long failures = a.counters(": failures").getFirst();
                Wire.cut();
                flow.writer.write(flow.writer.next() + 20);
                a.awaitCounter(": failures", count -> count > failures);
                Wire.restore();
                a.awaitCounter(": resumes", count -> count == resumes + 1);
                flow.exchangeUpTo(flow.writer.next() + 500, reader);
                assertFalse(second.isClosed(), second::toString);
                assertEquals(second, flow.in.imageBySessionId(flow.out.sessionId()));
            }
        }
    }

    @Test
    @Tag("soak")
    void resumesAfterRepeatedOutages() {
        Wire.assumeHere();
        try (Host b = host(Host.addressB()).expectLoss();
                Host a = host(Host.addressA()).expectLoss()) {
            Flow flow = new Flow(a, b, Script.upTo(61, 1000), 24_335, 50);
            for (int i = 0; i < 3; i++) {
                long failures = a.counters(": failures").getFirst();
                Wire.cut();
                flow.writer.write(flow.writer.next() + 20);
                a.awaitCounter(": failures", count -> count > failures);
                Wire.restore();
                flow.exchange(flow.writer.next() + 500);
            }
            flow.assertUninterrupted();
        }
    }
}
