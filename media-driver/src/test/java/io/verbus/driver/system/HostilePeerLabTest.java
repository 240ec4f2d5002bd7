// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.driver.Await;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.Versions;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Peers that break the protocol. A stream between two good drivers goes on all the while: each test
 * verifies it from the first message to the last.
 */
@Tag("lab")
@Tag("slow")
@Timeout(240)
class HostilePeerLabTest {
    private static final int PORT = 24_327;
    private static final int RAW_PORT = 24_328;
    private static final int GOOD_STREAM = 1;
    private static final int BAD_STREAM = 2;
    private static final int TERM_LENGTH = 64 * 1024;
    private static final Versions STRANGE = new Versions(8, 9);
    private static final byte[] GARBAGE = "GET / HTTP/1.1".getBytes(StandardCharsets.US_ASCII);

    private final Script script = Script.upTo(20, 1000);
    private final List<String> refusals = new CopyOnWriteArrayList<>();
    private final Host a = Host.a();
    private final Host b = Host.b();
    private final Bus publisher =
            a.connect(
                    context ->
                            context.publicationErrorHandler(
                                    (publication, code, message) -> refusals.add(message)));
    private final Bus subscriber = b.connect();
    private Publication out;
    private Subscription in;
    private Writer writer;
    private Reader reader;

    @BeforeEach
    void startGoodStream() {
        in = subscriber.addSubscription(Host.received(goodChannel()), GOOD_STREAM);
        out = publisher.addPublication(Host.overWire(goodChannel()), GOOD_STREAM);
        writer = new Writer(out, script);
        reader = Reader.fromFirst(script);
        goOn();
    }

    private String goodChannel() {
        return b.channel(PORT, "term-length=64k");
    }

    /** Sends some more messages on the good stream. */
    private void goOn() {
        writer.write(writer.next() + 50);
        reader.read(in, writer.next());
    }

    @AfterEach
    void close() {
        try (b) {
            goOn();
            a.close();
        }
    }

    @Test
    void rejectsPeerThatIsNotADriver() {
        try (RawPeer raw = new RawPeer().connect(Host.addressB(), PORT, GARBAGE)) {
            assertTrue(raw.end().startsWith("REJECTED"), raw.end());
            b.awaitError("is not a Verbus driver");
        }
    }

    @Test
    void rejectsPeerOfAnotherVersion() {
        byte[] hello = new Hello(STRANGE, RejectCode.UNSPECIFIED, RawPeer.DRIVER_ID).bytes();
        try (RawPeer raw = new RawPeer().connect(Host.addressB(), PORT, hello)) {
            assertTrue(raw.end().startsWith("REJECTED"), raw.end());
            Hello answer = Hello.read(raw.answer());
            assertNotNull(answer);
            assertEquals(RejectCode.VERSION_MISMATCH, answer.rejectCode());
            b.awaitError("supports " + STRANGE);
        }
    }

    @Test
    void reportsListenerThatIsNotADriver() {
        publishTo(GARBAGE, "is not a Verbus driver");
    }

    @Test
    void reportsListenerOfAnotherVersion() {
        publishTo(
                new Hello(STRANGE, RejectCode.UNSPECIFIED, RawPeer.DRIVER_ID).bytes(),
                "supports " + STRANGE);
    }

    /** The driver's log and the publisher name the listener. */
    private void publishTo(byte[] hello, String told) {
        try (RawPeer raw = new RawPeer().listen(Host.addressB(), RAW_PORT, hello);
                Publication bad =
                        publisher.addPublication(Host.overWire(b.channel(RAW_PORT)), BAD_STREAM)) {
            raw.pollUntil(
                    "the publisher to be told '" + told + "', but it was told " + refusals,
                    () -> refusals.stream().anyMatch(refusal -> refusal.contains(told)));
            a.awaitError(told);
            assertFalse(bad.isConnected());
            goOn();
        }
        a.expect("cannot connect to");
    }

    @Test
    void closesConnectionOfPublisherThatSendsRandomBytes() {
        SplittableRandom random = new SplittableRandom(21);
        for (int i = 0; i < 12; i++) {
            byte[] bytes = randomMessage(random);
            try (RawPeer raw = new RawPeer().connect(Host.addressB(), PORT, RawPeer.goodHello())) {
                assertTrue(raw.isUp(), raw.end());
                raw.send(bytes);
                raw.pollUntil("the end of the connection", () -> raw.end() != null);
            }
        }
        b.awaitError("violated the protocol");
    }

    @Test
    void closesConnectionOfSubscriberThatSendsRandomBytes() {
        SplittableRandom random = new SplittableRandom(22);
        try (RawPeer raw = new RawPeer().listen(Host.addressB(), RAW_PORT, RawPeer.goodHello());
                Publication bad =
                        publisher.addPublication(Host.overWire(b.channel(RAW_PORT)), BAD_STREAM)) {
            for (int i = 0; i < 5; i++) {
                // The side that accepts over iWARP must not speak first.
                raw.pollUntil("an offer", () -> raw.isUp() && raw.offered() != null);
                raw.forgetOffer();
                raw.send(randomMessage(random));
                raw.pollUntil("the end of the connection", () -> raw.end() != null);
            }
            assertFalse(bad.isConnected());
        }
        a.awaitError("violated the protocol");
        a.expectOfClients("violated the protocol");
        a.expect("cannot connect to");
        a.expect("is lost");
    }

    /** Half of them have a valid header, so that the rest is examined. */
    private static byte[] randomMessage(SplittableRandom random) {
        byte[] bytes = new byte[1 + random.nextInt(256)];
        random.nextBytes(bytes);
        if (bytes.length > 8 && random.nextBoolean()) {
            UnsafeBuffer header = new UnsafeBuffer(bytes);
            header.putShort(0, (short) random.nextInt(80));
            header.putShort(2, (short) (1 + random.nextInt(8)));
            header.putShort(4, (short) 102);
            header.putShort(6, (short) 0);
        }
        return bytes;
    }

    @Test
    void closesImageWithInvalidFrame() {
        List<Integer> badLengths = new ArrayList<>();
        badLengths.addAll(List.of(-64, Integer.MIN_VALUE)); // negative
        badLengths.addAll(List.of(1, 8, FrameHeader.LENGTH - 1)); // too short for a header
        badLengths.addAll(List.of(TERM_LENGTH + 1, TERM_LENGTH + 32, Integer.MAX_VALUE));
        int session = 100;
        for (int length : badLengths) {
            closesImage(session++, 0, length);
        }
        // Aligned up, this one would end behind the term.
        closesImage(session, FrameHeader.LENGTH, TERM_LENGTH - FrameHeader.LENGTH + 1);
    }

    /**
     * @param before length of a good frame in front of the bad one, or 0.
     */
    private void closesImage(int session, int before, int badLength) {
        List<Image> gone = new CopyOnWriteArrayList<>();
        try (Subscription bad =
                        subscriber.addSubscription(
                                Host.received(goodChannel()), BAD_STREAM, image -> {}, gone::add);
                RawPeer raw = new RawPeer().connect(Host.addressB(), PORT, RawPeer.goodHello())) {
            assertNotNull(raw.offer(BAD_STREAM, session, TERM_LENGTH), raw::end);
            int[] delivered = new int[1];
            if (before > 0) {
                raw.write(frame(before, session), 0);
            }
            raw.write(frame(badLength, session), before);
            b.expect("has rejected the image of stream " + BAD_STREAM + " session " + session);
            b.expect("is lost");
            b.expectOfClients("the frame at position " + before);
            raw.pollUntil(
                    "the image with a frame of length " + badLength + " to be closed",
                    () -> {
                        bad.poll((buffer, offset, length, header) -> delivered[0]++, 10);
                        return gone.size() == 1;
                    });
            assertEquals(before > 0 ? 1 : 0, delivered[0]);
            goOn();
        }
    }

    private static byte[] frame(int length, int session) {
        byte[] bytes = new byte[FrameHeader.LENGTH];
        UnsafeBuffer frame = new UnsafeBuffer(bytes);
        frame.putInt(FrameHeader.FRAME_LENGTH, length);
        frame.putByte(FrameHeader.FLAGS, (byte) FrameHeader.FLAGS_UNFRAGMENTED);
        frame.putShort(FrameHeader.TYPE, (short) FrameHeader.TYPE_DATA);
        frame.putInt(FrameHeader.SESSION_ID, session);
        frame.putInt(FrameHeader.STREAM_ID, BAD_STREAM);
        return bytes;
    }

    @Test
    void rejectsWritesOutsideImage() {
        try (Subscription bad =
                        subscriber.addSubscription(Host.received(goodChannel()), BAD_STREAM);
                RawPeer raw = new RawPeer().connect(Host.addressB(), PORT, RawPeer.goodHello())) {
            assertNotNull(raw.offer(BAD_STREAM, 7, TERM_LENGTH), raw::end);
            raw.write(new byte[64], 3L * TERM_LENGTH + 64);
            raw.pollUntil("the end of the connection", () -> raw.end() != null);
            Await.until("the image to be lost", bad::hasNoImages);
        }
        b.expect("is lost");
    }
}
