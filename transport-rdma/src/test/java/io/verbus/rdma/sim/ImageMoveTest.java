// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.rdma.BooleanType;
import io.verbus.codecs.rdma.ImageClosedDecoder;
import io.verbus.codecs.rdma.MessageHeaderDecoder;
import io.verbus.codecs.rdma.SetupDecoder;
import io.verbus.codecs.rdma.SetupEncoder;
import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.rdma.common.ControlEncoder;
import io.verbus.rdma.common.Versions;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A stream moves to another log whenever the subscribing driver asks, despite failures: every
 * message is read exactly once, in order.
 */
class ImageMoveTest {
    private static final int SCHEDULES = 800 * Integer.getInteger("verbus.lives", 1);
    private static final long FIRST_SEED =
            Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
    private static final int STREAM = 42;
    private static final int MAX_TURNS = 100_000;
    private static final String[] OPTIONS = {
        "rdma.backoff-min", "1ms",
        "rdma.backoff-max", "2ms",
        "rdma.probe-timeout", "20ms",
        "rdma.probe-interval", "2ms",
        "rdma.status-interval", "2ms",
        "rdma.resume-timeout", "60s"
    };

    @TempDir Path directory;

    /** On an established connection, a move neither fails nor counts as a failure. */
    @Test
    void movesToAnotherLogWithoutError() {
        try (TwoDrivers net = new TwoDrivers(FIRST_SEED, directory, OPTIONS)) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("connected", () -> stream.connected);
            TestImage first = net.b.image();
            for (int i = 1; i <= 4; i++) {
                net.b.movesFrames = i % 2 == 0;
                // Credit is granted for a log that the peer writes: only such a log can be moved.
                long before = net.b.value("Bytes received");
                net.until("it flows", () -> net.b.value("Bytes received") > before + 10_000);
                int moves = i;
                net.b.transport.inbound().moveImage(last(net));
                net.until("moved", () -> net.b.moves == moves && closeMoved(net));
            }
            net.publishing = false;
            net.until("all is read", () -> last(net).next == stream.offered);
            assertEquals(first, net.b.image().first());
            assertTrue(stream.connected);
            assertEquals(0, stream.resumes);
            assertEquals(0, net.a.counter(": resumes"));
            assertEquals(4, net.b.value("rdma: streams moved to another log"));
            assertEquals(List.of(), net.a.errors);
            assertEquals(List.of(), net.a.failures);
            assertEquals(List.of(), net.b.errors);
        }
    }

    @Test
    void offersStreamAgainIfImageClosesDuringMove() {
        for (int i = 0; i < 60; i++) {
            try (TwoDrivers net = new TwoDrivers(FIRST_SEED + i, directory, OPTIONS)) {
                net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
                TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
                net.until("connected", () -> stream.connected);
                TestImage image = net.b.image();
                net.b.transport.inbound().moveImage(image);
                for (int turns = net.random.nextInt(60); turns > 0; turns--) {
                    net.turn();
                }
                List<TestImage> closed = List.copyOf(net.b.images);
                closed.forEach(each -> net.b.transport.inbound().closeImage(each));
                net.until(
                        "a new image is read",
                        () ->
                                closeMoved(net)
                                        && !closed.contains(last(net))
                                        && last(net).received > 10);
                assertTrue(stream.connected);
                assertEquals(List.of(), net.a.errors);
                assertEquals(List.of(), net.b.errors);
            }
        }
    }

    /** The peer cannot free its credit slot before it knows that nothing writes there. */
    @Test
    void answersCloseThatCrossesMoveOfClosedImage() {
        try (TwoDrivers net = new TwoDrivers(FIRST_SEED, directory, OPTIONS)) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("connected", () -> stream.connected);
            net.a.isSenderAsleep = true;
            net.b.transport.inbound().moveImage(net.b.image());
            net.b.transport.inbound().closeImage(net.b.image());
            AtomicInteger answers = new AtomicInteger();
            net.network.tamper(message -> counted(message, answers));
            net.connection().sim().inject(List.of(close(stream.registrationId())));
            net.until("answered", () -> answers.get() > 0);
            assertEquals(1, answers.get());
            assertEquals(List.of(), net.b.errors);
        }
    }

    private static byte[] close(long registrationId) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        byte[] message =
                new byte
                        [new ControlEncoder(Versions.OURS.highest())
                                .close(buffer, 0, registrationId, 0, StreamEnd.UNWRITTEN)];
        buffer.getBytes(0, message);
        return message;
    }

    private static byte[] counted(byte[] message, AtomicInteger answers) {
        MessageHeaderDecoder header = new MessageHeaderDecoder();
        header.wrap(new UnsafeBuffer(message), 0);
        if (header.templateId() == ImageClosedDecoder.TEMPLATE_ID) {
            answers.incrementAndGet();
        }
        return message;
    }

    @Tag("slow")
    @Test
    void deliversExactlyOnceInOrderDespiteFailures() {
        int moves = 0;
        for (int i = 0; i < SCHEDULES; i++) {
            long seed = FIRST_SEED + i;
            try (TwoDrivers net = new TwoDrivers(seed, directory, OPTIONS)) {
                net.maxTurns = MAX_TURNS;
                live(net);
                moves += net.b.moves;
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dverbus.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        assertTrue(moves > SCHEDULES, moves + " moves");
    }

    private static void live(TwoDrivers net) {
        if (net.random.nextInt(4) == 0) {
            net.network.completeAlone();
        }
        net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
        TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
        net.until("connected", () -> stream.connected);
        TestImage first = net.b.image();
        boolean endsEarly = net.random.nextInt(4) == 0;
        for (int events = 2 + net.random.nextInt(6); events > 0; events--) {
            for (int turns = net.random.nextInt(300); turns > 0; turns--) {
                net.reading = net.random.nextInt(50) == 0 ? net.random.nextBoolean() : net.reading;
                net.turn();
                closeMoved(net);
            }
            if (endsEarly && events == 1) {
                stream.end();
                net.a.transport.outbound().closePublication(stream);
            }
            net.b.movesFrames = net.random.nextBoolean();
            net.b.transport.inbound().moveImage(last(net));
            if (net.random.nextInt(3) == 0) {
                for (int turns = net.random.nextInt(60); turns > 0; turns--) {
                    net.turn();
                }
                fail(net);
            }
        }
        if (!stream.isEnding()) {
            stream.end();
            net.a.transport.outbound().closePublication(stream);
        }
        net.reading = true;
        net.until(
                "all is read",
                () ->
                        closeMoved(net)
                                && last(net).next == stream.offered
                                && last(net).endingAt == stream.finalPosition()
                                && last(net).isEndOfStream());
        net.until("released", () -> net.a.releasedStreams.contains(stream));
        assertEquals(first, net.b.image().first());
    }

    private static void fail(TwoDrivers net) {
        List<SimConnection> connections = net.a.fabric.connections();
        if (connections.isEmpty() || !connections.getFirst().sim().isConnected()) {
            return;
        }
        switch (net.random.nextInt(3)) {
            case 0 -> connections.getFirst().breakLink("link flap");
            case 1 -> connections.getFirst().sim().fail("transport retry counter exceeded");
            default -> connections.getFirst().sim().cut();
        }
    }

    private static TestImage last(TwoDrivers net) {
        return net.b.images.getLast();
    }

    /** Whether only one image remains. */
    private static boolean closeMoved(TwoDrivers net) {
        for (TestImage image : List.copyOf(net.b.images)) {
            if (image.isMoved() || image.lost != null) {
                net.b.transport.inbound().closeImage(image);
            }
        }
        return net.b.images.size() == 1;
    }

    /** A peer whose claimed position differs from what has arrived is not trusted. */
    @Test
    void closesConnectionOnOfferAtWrongPosition() {
        for (int shift : new int[] {-32, 32}) {
            try (TwoDrivers net = new TwoDrivers(FIRST_SEED, directory, OPTIONS)) {
                net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
                TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
                net.until("connected", () -> stream.connected);
                net.until("it flows", () -> net.b.image().received > 100);
                net.network.tamper(message -> shifted(message, shift));
                net.b.transport.inbound().moveImage(net.b.image());
                net.until("noticed", () -> !net.b.errors.isEmpty());
                assertTrue(
                        net.b.errors.getFirst().contains("was sent up to"), net.b.errors::toString);
            }
        }
    }

    private static byte[] shifted(byte[] message, int shift) {
        UnsafeBuffer buffer = new UnsafeBuffer(message);
        MessageHeaderDecoder header = new MessageHeaderDecoder();
        header.wrap(buffer, 0);
        if (header.templateId() == SetupDecoder.TEMPLATE_ID) {
            long sent = new SetupDecoder().wrapAndApplyHeader(buffer, 0, header).position();
            new SetupEncoder()
                    .wrap(buffer, MessageHeaderDecoder.ENCODED_LENGTH)
                    .position(sent + shift);
        }
        return message;
    }

    @Test
    void closesConnectionOfPeerThatKeepsSendingDuringMove() {
        try (TwoDrivers net = new TwoDrivers(FIRST_SEED, directory, OPTIONS)) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("connected", () -> stream.connected);
            net.a.isSenderAsleep = true;
            net.b.transport.inbound().moveImage(net.b.image());
            net.until("noticed", () -> !net.b.errors.isEmpty());
            String error = net.b.errors.getFirst();
            assertTrue(error.contains("has not stopped sending stream 42 within 20 ms"), error);
            net.a.isSenderAsleep = false;
            net.until("it continues", () -> stream.connected && last(net).received > 100);
        }
    }

    /** An offer that does not refer to the existing image. */
    @Test
    void closesConnectionOnOfferWithoutImage() {
        try (TwoDrivers net = new TwoDrivers(FIRST_SEED, directory, OPTIONS)) {
            net.b.subscribe(TwoDrivers.CHANNEL, STREAM);
            TestStream stream = net.a.publish(TwoDrivers.CHANNEL, STREAM);
            net.until("connected", () -> stream.connected);
            net.network.tamper(ImageMoveTest::withoutResumption);
            net.b.transport.inbound().moveImage(net.b.image());
            net.until("noticed", () -> !net.b.errors.isEmpty());
            assertTrue(
                    net.b.errors.getFirst().contains("was offered twice"), net.b.errors::toString);
        }
    }

    private static byte[] withoutResumption(byte[] message) {
        UnsafeBuffer buffer = new UnsafeBuffer(message);
        MessageHeaderDecoder header = new MessageHeaderDecoder();
        header.wrap(buffer, 0);
        if (header.templateId() == SetupDecoder.TEMPLATE_ID) {
            new SetupEncoder()
                    .wrap(buffer, MessageHeaderDecoder.ENCODED_LENGTH)
                    .isResuming(BooleanType.F);
        }
        return message;
    }
}
