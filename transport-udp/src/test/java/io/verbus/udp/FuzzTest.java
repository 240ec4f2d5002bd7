// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TestImage;
import io.verbus.transport.TestStream;
import io.verbus.udp.inbound.Feed;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.HeartbeatFrame;
import io.verbus.udp.wire.NakFrame;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * Feeds ten million frames: valid ones with wrong fields, truncated, and joined. Each lies at the
 * end of its buffer's bounds, which are checked, so any read beyond a datagram throws.
 */
@Tag("slow")
@Timeout(300)
class FuzzTest {
    private static final int STREAM = 7;
    private static final int SESSION = 77;
    private static final int TO_RECEIVER = Integer.getInteger("verbus.fuzz.received", 9_500_000);
    private static final int TO_SENDER = Integer.getInteger("verbus.fuzz.sent", 500_000);
    private static final int MAX_LENGTH = 4096;
    private static final int PER_IMAGE = 100_000;

    /** Allowance for allocations that do not depend on frames: offered images, JIT pages. */
    private static final long ALLOCATION_BOUND = 256 * 1024;

    @TempDir Path folder;

    private final long seed = System.nanoTime();
    private final SplittableRandom random = new SplittableRandom(seed);
    private final UnsafeBuffer scratch = new UnsafeBuffer(ByteBuffer.allocateDirect(MAX_LENGTH));
    private final UnsafeBuffer one = new UnsafeBuffer(ByteBuffer.allocateDirect(MAX_LENGTH));

    @Test
    void receiverSurvivesAnyFrameWithoutAllocation() throws IOException {
        System.out.println("FuzzTest seed " + seed);
        ChannelUri channel = channel(freePort());
        try (TestDriver driver = new TestDriver(1, folder, "udp.max-images", "4")) {
            InboundEndpoint endpoint = driver.subscribe(channel, STREAM);
            driver.turn(2);
            Feed feed =
                    new Feed(
                            endpoint,
                            new SocketAddress(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 9)),
                            () -> driver.nowNs);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long allocated = 0;
            int fed = 0;
            while (fed < TO_RECEIVER) {
                boolean isWarm = fed >= 20 * PER_IMAGE;
                renew(driver, feed);
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < PER_IMAGE; i++) {
                    feed.datagram(scratch, datagram(SESSION));
                }
                allocated += isWarm ? threads.getCurrentThreadAllocatedBytes() - before : 0;
                fed += PER_IMAGE;
            }
            System.out.println("allocated for them: " + allocated + " bytes");
            assertTrue(allocated < ALLOCATION_BOUND, allocated + " bytes for " + fed + " frames");
            assertTrue(driver.counter("invalid frames from senders") > TO_RECEIVER / 10);
            assertTrue(driver.counter("Flow control over runs") > 0);
            assertTrue(driver.counter("Flow control under runs") > 0);
            assertTrue(driver.counter("duplicate frames") > 0);
        }
    }

    /** Creates a new image, because earlier frames may have broken the previous one. */
    private void renew(TestDriver driver, Feed feed) {
        driver.turn(3); // first lets pending offers become images
        for (TestImage image : driver.images.toArray(new TestImage[0])) {
            driver.transport.inbound().closeImage(image);
        }
        driver.turn(10);
        assertEquals(0, driver.images.size());
        driver.nowNs += 20_000 * TestDriver.MS;
        driver.turn(3);
        feed.datagram(scratch, Frame.setup(scratch, SESSION, STREAM));
        driver.turn(3);
        assertTrue(
                driver.images.stream().anyMatch(image -> image.setup.sessionId() == SESSION),
                "no image");
    }

    @Test
    void senderSurvivesAnyFrame() throws IOException {
        System.out.println("FuzzTest seed " + seed);
        try (TestDriver driver = new TestDriver(1, folder);
                RawSocket peer = new RawSocket()) {
            TestStream stream = driver.publish(channel(peer.port()), STREAM);
            int session = stream.log().spec().sessionId();
            driver.turn(200);
            do {
                assertTrue(peer.receive() > 0, "no setup");
            } while (Frames.type(peer.buffer) != Frames.SETUP);
            Sender sender = new Sender(peer);
            for (int i = 0; i < TO_SENDER; i++) {
                int length = datagram(session);
                peer.buffer.putBytes(0, scratch, 0, Math.min(length, 1024));
                sender.send(Math.min(length, 1024));
                if (i % 8 == 7) {
                    driver.nowNs += 20_000;
                    driver.turn();
                    stream.offer();
                    sender.drain();
                }
            }
            driver.turn();
            assertTrue(driver.counter("invalid frames from receivers") > TO_SENDER / 10);
            assertTrue(driver.counter("NAKs received") > TO_SENDER / 100);
            assertTrue(stream.senderPosition() <= stream.position());
            // Any host can send error frames; clients are notified once in ten seconds.
            driver.errors.removeIf(error -> error.contains("cannot receive the stream"));
            assertEquals(0, driver.errors.size(), driver.errors.toString());
        }
    }

    /** The sender's address, which changes with each datagram of the peer's socket. */
    private static final class Sender {
        private final RawSocket peer;
        private final java.net.SocketAddress address;

        Sender(RawSocket peer) {
            this.peer = peer;
            address = peer.source;
        }

        void send(int length) {
            peer.send(address, length);
        }

        void drain() {
            while (peer.receive() >= 0) {
                // ignored
            }
        }
    }

    private static ChannelUri channel(int port) {
        return ChannelUri.parse("verbus:udp?endpoint=127.0.0.1:" + port + "|term-length=64k");
    }

    private static int freePort() throws IOException {
        try (RawSocket free = new RawSocket()) {
            return free.port();
        }
    }

    /** Writes a datagram of one to four frames; returns its length. */
    private int datagram(int session) {
        int frames = random.nextInt(8) == 0 ? 2 + random.nextInt(3) : 1;
        int length = 0;
        for (int i = 0; i < frames; i++) {
            int more = frame(session);
            scratch.putBytes(length, one, 0, more);
            length += more;
        }
        return random.nextInt(16) == 0 ? random.nextInt(length + 1) : length;
    }

    private int frame(int session) {
        int length = right(random.nextInt(16) == 0 ? random.nextInt(20) : session);
        for (int wrong = random.nextInt(4); wrong > 1; wrong--) {
            int at = random.nextInt(Math.min(length, 48)) & ~3;
            switch (random.nextInt(4)) {
                case 0 -> one.putByte(at + random.nextInt(4), (byte) random.nextInt());
                case 1 -> one.putInt(at, random.nextInt());
                case 2 -> one.putInt(at, one.getInt(at) + 32 * (random.nextInt(65) - 32));
                default -> one.putInt(at, random.nextBoolean() ? Integer.MIN_VALUE : -1);
            }
        }
        return length;
    }

    private int right(int session) {
        int offset = random.nextInt(random.nextInt(4) == 0 ? 2048 : 256) * 32;
        switch (random.nextInt(10)) {
            case 0:
                return Frame.setup(one, session, STREAM);
            case 1:
                return Frame.status(one, random.nextInt(256), session, STREAM, offset, 32 * 1024);
            case 2:
                StatusFrame.write(one, 0, session, STREAM, Frame.INITIAL_TERM, offset, 1024, 99);
                StatusFrame.tag(one, random.nextInt());
                return StatusFrame.TAGGED_LENGTH;
            case 3:
                return Frame.nak(one, session, STREAM, offset, 32 * random.nextInt(64));
            case 4:
                RttFrame.ask(one, session, STREAM, random.nextLong(), 1);
                one.putByte(5, (byte) (random.nextBoolean() ? RttFrame.FLAG_REPLY : 0));
                return RttFrame.LENGTH;
            case 5:
                HeartbeatFrame.write(
                        one,
                        random.nextInt(100) == 0 ? random.nextInt(0x40) : 0,
                        session,
                        STREAM,
                        Frame.INITIAL_TERM,
                        offset);
                return HeartbeatFrame.LENGTH;
            case 6:
                NakFrame.write(one, session, STREAM, Frame.INITIAL_TERM, offset, 32);
                one.putShort(6, (short) Frames.ERROR);
                return 64;
            default:
                return data(session, offset);
        }
    }

    private int data(int session, int offset) {
        HeartbeatFrame.write(one, 0, session, STREAM, Frame.INITIAL_TERM, offset);
        int length = FrameHeader.LENGTH + random.nextInt(300);
        boolean isPadding = random.nextInt(8) == 0;
        if (isPadding) {
            one.putShort(FrameHeader.TYPE, (short) FrameHeader.TYPE_PAD);
        }
        one.putInt(0, length);
        return isPadding ? FrameHeader.LENGTH : FrameHeader.align(length);
    }
}
