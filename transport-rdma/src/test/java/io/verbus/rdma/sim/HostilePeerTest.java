// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.rdma.AcceptDecoder;
import io.verbus.codecs.rdma.AcceptEncoder;
import io.verbus.codecs.rdma.MessageHeaderDecoder;
import io.verbus.rdma.common.ControlEncoder;
import io.verbus.rdma.common.CreditLine;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.common.Versions;
import io.verbus.rdma.lives.Junk;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A peer that violates the protocol fails only its own connection, and is reported. */
class HostilePeerTest {
    private static final int STREAM = 42;

    @TempDir Path directory;

    @Property(tries = 60)
    @Tag("slow")
    void publishingDriverSurvivesRandomBytes(@ForAll("messages") List<byte[]> messages)
            throws IOException {
        inTemporaryDirectory(
                net -> {
                    TestStream stream = connected(net);
                    SimConnection connection = net.connection();
                    connection.peer().sim().inject(messages);
                    net.forMillis(3);
                    assertGoesOn(net, stream);
                });
    }

    @Property(tries = 60)
    @Tag("slow")
    void subscribingDriverSurvivesRandomBytes(@ForAll("messages") List<byte[]> messages)
            throws IOException {
        inTemporaryDirectory(
                net -> {
                    TestStream stream = connected(net);
                    net.connection().sim().inject(messages);
                    net.forMillis(3);
                    assertGoesOn(net, stream);
                });
    }

    private static TestStream connected(TwoDrivers net) {
        net.network.expectAccessErrors();
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("connected", () -> stream.connected);
        return stream;
    }

    /** Whatever happened to the connection, the stream flows again in the end. */
    private static void assertGoesOn(TwoDrivers net, TestStream stream) {
        net.until(
                "carried again",
                () -> {
                    for (TestImage image : List.copyOf(net.b.images)) {
                        if (image.lost != null || image.endingAt >= 0) {
                            net.b.transport.inbound().closeImage(image);
                        }
                    }
                    return stream.connected
                            && net.b.images.stream()
                                    .anyMatch(
                                            image ->
                                                    image.lost == null
                                                            && image.received > 20
                                                            && image.setup.streamId() == STREAM);
                });
    }

    /** Random bytes, and messages with a valid header around random bytes. */
    @Provide
    Arbitrary<List<byte[]>> messages() {
        Arbitrary<byte[]> noise =
                Arbitraries.bytes().array(byte[].class).ofMinSize(0).ofMaxSize(256);
        Arbitrary<byte[]> shaped =
                Combinators.combine(
                                Arbitraries.integers().between(0, 13),
                                Arbitraries.bytes().array(byte[].class).ofSize(96),
                                Arbitraries.integers().between(-1, 1))
                        .as(Junk::shaped);
        return Arbitraries.oneOf(noise, shaped).list().ofMinSize(1).ofMaxSize(6);
    }

    @Test
    void closesConnectionOnCreditBeyondSentPosition() {
        assertCreditFails(1 << 20);
    }

    @Test
    void closesConnectionOnUnalignedCredit() {
        assertCreditFails(17);
    }

    @Test
    void closesConnectionOnDecreasingCredit() {
        assertCreditFails(-32);
    }

    private void assertCreditFails(long offset) {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory)) {
            TestStream stream = connected(net);
            net.until("some", () -> net.b.image().received > 100);
            net.reading = false;
            net.forMillis(500);
            long before = net.b.image().position();
            UnsafeBuffer slot = net.a.fabric.connections().getFirst().domain().creditSlot();
            assertEquals(before, slot.getLong(CreditLine.POSITION));
            net.until(
                    "failed",
                    () -> {
                        if (net.a.errors.isEmpty()) {
                            // Credit in flight may have replaced it.
                            slot.putLong(CreditLine.POSITION, before + offset);
                        }
                        return !net.a.errors.isEmpty();
                    });
            assertTrue(
                    net.a.errors.getFirst().contains("violated the protocol"),
                    net.a.errors.toString());
            assertEquals(1, net.a.counter("rdma to 10.0.0.2:7400: protocol violations"));
            net.reading = true;
            assertGoesOn(net, stream);
        }
    }

    @Test
    void restartsStreamOnResumeBehindReleasedPosition() {
        assertResumeBeginsAnew(-65_536);
    }

    @Test
    void restartsStreamOnResumeBeyondSentPosition() {
        assertResumeBeginsAnew(1 << 20);
    }

    @Test
    void restartsStreamOnResumeInsideFrame() {
        assertResumeBeginsAnew(-32);
    }

    private void assertResumeBeginsAnew(long offset) {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory)) {
            TestStream stream = connected(net);
            net.until("some", () -> net.b.image().received > 300);
            TestImage image = net.b.image();
            net.reading = false;
            net.until("unread", () -> stream.senderPosition() > image.position() + 4096);
            net.network.tamper(message -> movedAccept(message, offset));
            net.connection().breakLink("cable");
            net.until("failed", () -> net.a.errors.size() > 1);
            assertTrue(net.a.errors.get(1).contains("released up to"), net.a.errors.toString());
            net.network.tamper(UnaryOperator.identity());
            net.reading = true;
            net.until("anew", () -> net.b.images.size() == 2 && stream.connected);
            assertEquals(0, stream.resumes);
            net.until("carried", () -> net.b.images.getLast().received > 20);
        }
    }

    private static byte[] movedAccept(byte[] message, long offset) {
        UnsafeBuffer buffer = new UnsafeBuffer(message);
        MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(buffer, 0);
        if (header.templateId() == AcceptDecoder.TEMPLATE_ID) {
            long position = new AcceptDecoder().wrapAndApplyHeader(buffer, 0, header).position();
            new AcceptEncoder()
                    .wrap(buffer, MessageHeaderDecoder.ENCODED_LENGTH)
                    .position(Math.max(0, position + offset));
        }
        return message;
    }

    @Test
    void closesConnectionOnDuplicateOffer() {
        try (TwoDrivers net = new TwoDrivers(System.nanoTime(), directory)) {
            TestStream stream = connected(net);
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
            Setup offer =
                    new Setup(
                            stream.registrationId(),
                            1,
                            STREAM,
                            5,
                            65_536,
                            1408,
                            0,
                            64,
                            1,
                            0,
                            false,
                            false,
                            0);
            int length =
                    new ControlEncoder(Versions.OURS.highest()).setup(buffer, 0, offer, 0, false);
            byte[] message = new byte[length];
            buffer.getBytes(0, message);
            net.connection().sim().inject(List.of(message));
            net.until("failed", () -> !net.b.errors.isEmpty());
            assertTrue(
                    net.b.errors.getFirst().contains("was offered twice"), net.b.errors.toString());
            assertEquals(1, net.b.counter("protocol violations by publishing drivers"));
            assertGoesOn(net, stream);
        }
    }

    @Test
    void closesConnectionOnTooManyOffers() {
        try (TwoDrivers net =
                new TwoDrivers(System.nanoTime(), directory, "rdma.max-streams", "10")) {
            TestStream stream = connected(net);
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
            for (int i = 0; i < 500; i++) {
                Setup offer =
                        new Setup(
                                1_000_000L + i,
                                i,
                                STREAM + 1,
                                5,
                                65_536,
                                1408,
                                0,
                                64,
                                1,
                                0,
                                false,
                                false,
                                0);
                byte[] message =
                        new byte
                                [new ControlEncoder(Versions.OURS.highest())
                                        .setup(buffer, 0, offer, 0, false)];
                buffer.getBytes(0, message);
                net.connection().sim().inject(List.of(message));
            }
            for (int i = 0; i < 10; i++) {
                net.b.transport.receive(net.nowNs);
            }
            net.until("failed", () -> !net.b.errors.isEmpty());
            assertTrue(
                    net.b.errors.getFirst().contains("floods this driver"),
                    net.b.errors.toString());
            assertGoesOn(net, stream);
        }
    }

    private interface Body {
        void run(TwoDrivers net);
    }

    private static void inTemporaryDirectory(Body body) throws IOException {
        Path directory = Files.createTempDirectory("verbus-sim");
        try (TwoDrivers net =
                new TwoDrivers(
                        System.nanoTime(),
                        directory,
                        "rdma.backoff-min",
                        "1ms",
                        "rdma.probe-timeout",
                        "20ms",
                        "rdma.status-interval",
                        "1ms")) {
            body.run(net);
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(f -> f.delete());
            }
        }
    }
}
