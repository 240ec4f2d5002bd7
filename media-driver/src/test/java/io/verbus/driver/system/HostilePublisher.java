// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.common.Versions;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Does to a subscribing driver, in random order, what no publishing driver would. One thread.
 *
 * <p>Also a program, for any driver that is there to be tried: {@link #main}.
 */
final class HostilePublisher {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final int BURST = 40;
    private static final int STORM = 400;

    private final SplittableRandom random;
    private final String host;
    private final int port;
    private final int streamId;
    private int session = 1;

    /** Attacks; each once per round. */
    enum Act {
        HELLO_OF_STRANGER,
        SPEAK_ANOTHER_VERSION,
        SEND_NOISE,
        LIE_IN_SETUP,
        LIE_ABOUT_CREDIT,
        WRITE_NOISE_INTO_THE_IMAGE,
        WRITE_BAD_FRAMES,
        WRITE_INTO_THE_IMAGE_OF_ANOTHER,
        WRITE_ANYWHERE,
        LIE_ABOUT_THE_END,
        VANISH,
        VANISH_AFTER_AN_OFFER,
        LEAVE_CONNECTIONS_HALF_OPEN,
        OFFER_WITHOUT_END,
        OFFER_TWICE,
        ASK_WITHOUT_END,
        SEND_TOO_MUCH
    }

    /**
     * @param host of the driver.
     * @param port at which it subscribes.
     * @param streamId that somebody subscribes to there.
     */
    HostilePublisher(long seed, String host, int port, int streamId) {
        random = new SplittableRandom(seed);
        this.host = host;
        this.port = port;
        this.streamId = streamId;
    }

    /**
     * Tries a driver.
     *
     * @param args address and port at which it subscribes, a stream id that is subscribed to there,
     *     seconds, and the seed if it is to be a certain one. The address to connect from is that
     *     of host A in the lab, or {@code VERBUS_LAB_ADDR1}.
     */
    public static void main(String[] args) {
        if (args.length < 4) {
            System.err.println("usage: HostilePublisher ADDRESS PORT STREAM SECONDS [SEED]");
            System.exit(2);
        }
        long seed = args.length > 4 ? Long.parseLong(args[4]) : System.nanoTime();
        System.out.println("seed " + seed);
        HostilePublisher hostile =
                new HostilePublisher(
                        seed, args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(args[3]));
        Act[] acts = Act.values();
        long count = 0;
        do {
            hostile.act(acts[hostile.random.nextInt(acts.length)]);
            count++;
        } while (System.nanoTime() - end < 0);
        System.out.println(count + " acts");
    }

    /** Runs one attack. */
    void act(Act act) {
        switch (act) {
            case HELLO_OF_STRANGER -> sendHello(noise(1 + random.nextInt(56)));
            case SPEAK_ANOTHER_VERSION ->
                    sendHello(
                            new Hello(
                                            new Versions(5 + random.nextInt(100), 200),
                                            RejectCode.UNSPECIFIED,
                                            random.nextLong())
                                    .bytes());
            case VANISH -> sendHello(RawPeer.goodHello());
            case LEAVE_CONNECTIONS_HALF_OPEN -> leaveHalfOpen();
            case WRITE_INTO_THE_IMAGE_OF_ANOTHER -> writeIntoAnother();
            default -> {
                try (RawPeer raw = new RawPeer().connect(host, port, RawPeer.goodHello())) {
                    if (raw.isUp()) {
                        connected(act, raw);
                    }
                }
            }
        }
    }

    private void sendHello(byte[] hello) {
        new RawPeer().connect(host, port, hello).close();
    }

    private void leaveHalfOpen() {
        try (RawPeer raw = new RawPeer()) {
            raw.connectIdly(host, port, BURST);
        }
    }

    private void connected(Act act, RawPeer raw) {
        switch (act) {
            case SEND_NOISE -> sendNoise(raw);
            case LIE_IN_SETUP -> lieInSetup(raw);
            case LIE_ABOUT_CREDIT -> lieAboutCredit(raw);
            case WRITE_NOISE_INTO_THE_IMAGE -> writeNoise(raw);
            case WRITE_BAD_FRAMES -> writeBadFrames(raw);
            case WRITE_ANYWHERE -> {
                if (offer(raw)) {
                    raw.writeTo(noise(64), random.nextLong() & ~63L, raw.accepted().logKey());
                    raw.writeTo(noise(64), raw.accepted().logAddress(), random.nextInt());
                }
            }
            case LIE_ABOUT_THE_END -> lieAboutTheEnd(raw);
            case VANISH_AFTER_AN_OFFER -> raw.setup(raw.good(1, streamId, session++, TERM_LENGTH));
            case OFFER_WITHOUT_END -> {
                for (int i = 0; i < STORM && raw.isUp(); i++) {
                    int stream = random.nextInt(8) == 0 ? streamId : 10_000 + i;
                    raw.setup(raw.good(100 + i, stream, session++, TERM_LENGTH));
                }
                settle(raw);
            }
            case OFFER_TWICE -> {
                Setup offer = raw.good(1, streamId, session++, TERM_LENGTH);
                raw.setup(offer);
                raw.setup(offer);
                awaitEnd(raw);
            }
            case ASK_WITHOUT_END -> {
                for (int i = 0; i < STORM && raw.isUp(); i++) {
                    raw.ask();
                    raw.poll();
                }
                settle(raw);
            }
            case SEND_TOO_MUCH -> {
                // Over iWARP a message of no bytes is a header alone, which nothing is wrong with.
                raw.send(noise(random.nextBoolean() ? 1024 : raw.isIwarp() ? 1 : 0));
                awaitEnd(raw);
            }
            default -> throw new IllegalArgumentException(act.toString());
        }
    }

    private void sendNoise(RawPeer raw) {
        for (int i = 0; i < 50 && raw.isUp(); i++) {
            byte[] message = noise(1 + random.nextInt(256));
            if (message.length > 8 && random.nextBoolean()) {
                UnsafeBuffer header = new UnsafeBuffer(message);
                header.putShort(0, (short) random.nextInt(80));
                header.putShort(2, (short) (1 + random.nextInt(9)));
                header.putShort(4, (short) 102);
                header.putShort(6, (short) 0);
            }
            raw.send(message);
        }
        awaitEnd(raw);
    }

    /** Each value alone could come from a driver; together they could not. */
    private void lieInSetup(RawPeer raw) {
        int termLength = 1 << random.nextInt(14, 32);
        raw.setup(
                new Setup(
                        random.nextLong(),
                        session++,
                        streamId,
                        random.nextInt(),
                        termLength,
                        random.nextInt(70_000) & (random.nextBoolean() ? ~31 : ~0),
                        random.nextLong() & (random.nextBoolean() ? 0x7FFF_FFFF_FFE0L : ~0L),
                        random.nextLong() & (random.nextBoolean() ? ~63L : ~0L),
                        random.nextInt(),
                        random.nextLong(),
                        random.nextBoolean(),
                        random.nextBoolean(),
                        random.nextLong()));
        settle(raw);
    }

    /** Makes the driver write credit to foreign memory. */
    private void lieAboutCredit(RawPeer raw) {
        Setup good = raw.good(1, streamId, session++, TERM_LENGTH);
        raw.setup(
                new Setup(
                        1,
                        good.sessionId(),
                        streamId,
                        0,
                        TERM_LENGTH,
                        4096,
                        0,
                        random.nextBoolean() ? good.creditAddress() : random.nextLong() & ~63L,
                        random.nextBoolean() ? random.nextInt() : good.creditKey(),
                        0,
                        false,
                        random.nextBoolean(),
                        random.nextLong()));
        raw.pollUntil("an answer", () -> raw.accepted() != null || !raw.isUp());
        if (raw.isUp()) {
            // Read frames are granted credit, at the address in the offer.
            raw.write(frame(FrameHeader.LENGTH, 0), 0);
            settle(raw);
        }
    }

    private boolean offer(RawPeer raw) {
        return raw.offer(streamId, session++, TERM_LENGTH) != null && raw.isUp();
    }

    private void writeNoise(RawPeer raw) {
        if (!offer(raw)) {
            return;
        }
        for (int i = 0; i < 100 && raw.isUp(); i++) {
            byte[] bytes = noise(1 + random.nextInt(2048));
            raw.write(bytes, random.nextInt(3 * TERM_LENGTH + 64 - bytes.length));
        }
        raw.write(noise(64), 0);
        settle(raw);
    }

    private void writeBadFrames(RawPeer raw) {
        if (!offer(raw)) {
            return;
        }
        int[] lengths = {
            -1, -64, Integer.MIN_VALUE, 1, 31, TERM_LENGTH + 32, Integer.MAX_VALUE, 33, 4096
        };
        int before = random.nextInt(4) * FrameHeader.LENGTH;
        for (int at = 0; at < before; at += FrameHeader.LENGTH) {
            raw.write(frame(FrameHeader.LENGTH, at), at);
        }
        raw.write(frame(lengths[random.nextInt(lengths.length)], random.nextInt()), before);
        settle(raw);
    }

    private byte[] frame(int length, int termOffset) {
        byte[] bytes = noise(FrameHeader.LENGTH);
        UnsafeBuffer frame = new UnsafeBuffer(bytes);
        frame.putInt(FrameHeader.FRAME_LENGTH, length);
        if (random.nextInt(4) != 0) {
            frame.putByte(FrameHeader.VERSION, (byte) 0);
            frame.putByte(FrameHeader.FLAGS, (byte) FrameHeader.FLAGS_UNFRAGMENTED);
            frame.putShort(FrameHeader.TYPE, (short) FrameHeader.TYPE_DATA);
            frame.putInt(FrameHeader.TERM_OFFSET, termOffset);
        }
        return bytes;
    }

    /** The rkey is valid, but was given to another peer. */
    private void writeIntoAnother() {
        try (RawPeer other = new RawPeer().connect(host, port, RawPeer.goodHello());
                RawPeer raw = new RawPeer().connect(host, port, RawPeer.goodHello())) {
            if (other.isUp() && raw.isUp() && offer(other)) {
                RawPeer.Accepted theirs = other.accepted();
                raw.writeTo(noise(64), theirs.logAddress() + 128, theirs.logKey());
                if (raw.isUp()) {
                    throw new AssertionError("a peer has written into the image of another");
                }
            }
        }
    }

    private void lieAboutTheEnd(RawPeer raw) {
        if (!offer(raw)) {
            return;
        }
        long lie = random.nextBoolean() ? random.nextLong() : random.nextInt(1 << 20) * 32L;
        if (random.nextBoolean()) {
            raw.write(noise(8), 3L * TERM_LENGTH); // the first byte after the terms
        }
        raw.sendClose(1, lie, random.nextBoolean());
        settle(raw);
    }

    /** Gives the driver time to react. */
    private static void settle(RawPeer raw) {
        for (int i = 0; i < 100 && raw.isUp(); i++) {
            raw.poll();
            Thread.yield();
        }
    }

    private static void awaitEnd(RawPeer raw) {
        raw.pollUntil("the end of the connection", () -> raw.end() != null);
    }

    private byte[] noise(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
