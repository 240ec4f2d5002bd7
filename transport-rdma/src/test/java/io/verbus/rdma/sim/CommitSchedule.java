// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.logbuffer.Header;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogReader;
import io.verbus.logbuffer.LogScanner;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.outbound.CommitRule;
import io.verbus.rdma.outbound.LogPath;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Random;

/**
 * A random schedule of a remote log: frames are appended, sent by a rule, land piece by piece, and
 * are read by a real reader between any two steps. The image log is initially full of frames of
 * earlier laps.
 */
final class CommitSchedule {
    static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final int MTU = 4096;
    private static final int INITIAL_TERM_ID = 7;
    private static final LogSpec SPEC =
            new LogSpec(
                    LogType.CONCURRENT_PUBLICATION,
                    1,
                    11,
                    22,
                    INITIAL_TERM_ID,
                    TERM_LENGTH,
                    MTU,
                    0);

    /** The two logs, reused by each schedule. */
    record Logs(LogBuffers source, LogBuffers image, byte[] garbage) implements AutoCloseable {
        static Logs create(Path directory) {
            byte[] garbage = new byte[LogLayout.PARTITIONS * TERM_LENGTH];
            UnsafeBuffer old = new UnsafeBuffer(garbage);
            Random random = new Random(3);
            random.nextBytes(garbage);
            for (int at = 0; at < garbage.length; at += FrameHeader.ALIGNMENT) {
                // Every possible frame start holds data that looks like a frame.
                int room = TERM_LENGTH - at % TERM_LENGTH;
                int length = Math.min(room, FrameHeader.LENGTH + random.nextInt(200));
                old.putLong(
                        at,
                        FrameHeader.word(
                                length, FrameHeader.FLAGS_UNFRAGMENTED, FrameHeader.TYPE_DATA));
            }
            return new Logs(
                    LogBuffers.create(directory.resolve("source.log"), SPEC),
                    LogBuffers.create(directory.resolve("image.log"), SPEC),
                    garbage);
        }

        @Override
        public void close() {
            source.close();
            image.close();
        }
    }

    private final Logs logs;
    private final BatchWriter rule;
    private final boolean checkInvariant;
    private final Random random;
    private final SimNetwork network;
    private final SimDomain sourceDomain;
    private final SimDomain imageDomain;
    private final UnsafeBuffer zero = new UnsafeBuffer(java.nio.ByteBuffer.allocateDirect(8));
    private final LogPath path;
    private final LogScanner scanner;
    private final LogReader reader;
    private final LogCleaner cleaner;
    private final AtomicLongPosition subscriber = new AtomicLongPosition();
    private final ArrayDeque<long[]> batches = new ArrayDeque<>();
    private final ArrayDeque<long[]> appended = new ArrayDeque<>();
    private final long salt;
    private final int window;
    private final int maxFrame;
    private SimQueuePair queuePair;
    private long landedBefore;

    /** Position in the image at which the next batch begins. */
    private long frontier;

    private long tail;
    private long sent;
    private long consumed;
    private long goal;

    CommitSchedule(Logs logs, BatchWriter rule, boolean checkInvariant, long seed) {
        this.logs = logs;
        this.rule = rule;
        this.checkInvariant = checkInvariant;
        random = new Random(seed);
        network = new SimNetwork(random.nextLong());
        sourceDomain = new SimDomain(network);
        imageDomain = new SimDomain(network);
        salt = random.nextLong();
        window = 2048 + random.nextInt(2 * TERM_LENGTH - 2047);
        maxFrame = 33 + random.nextInt(random.nextBoolean() ? 200 : MTU - 32);

        long start =
                (3L + random.nextInt(50)) * TERM_LENGTH
                        + FrameHeader.align(
                                random.nextInt(4) == 0
                                        ? random.nextInt(TERM_LENGTH)
                                        : TERM_LENGTH - 1 - random.nextInt(8192));
        tail = start;
        sent = start;
        consumed = start;
        frontier = start;
        goal = start + (random.nextInt(40) == 0 ? 4 * TERM_LENGTH : 4096 + random.nextInt(24_576));
        fill(start);

        RegisteredMemory sourceRegion =
                sourceDomain.register(
                        logs.source.address(), logs.source.termsLength(), Access.LOCAL_READ);
        RegisteredMemory imageRegion =
                imageDomain.register(
                        logs.image.address(), logs.image.termsLength(), Access.REMOTE_WRITE);
        RegisteredMemory zeroRegion =
                sourceDomain.register(zero.addressOffset(), Long.BYTES, Access.LOCAL_READ);
        path =
                new LogPath(
                        sourceRegion.address(),
                        sourceRegion.localKey(),
                        zeroRegion.address(),
                        zeroRegion.localKey(),
                        imageRegion.address(),
                        imageRegion.remoteKey(),
                        TERM_LENGTH);
        subscriber.set(start);
        scanner = new LogScanner(logs.source);
        reader = new LogReader(logs.image, subscriber, true);
        cleaner = new LogCleaner(logs.source, start);
        connect();
    }

    private void fill(long start) {
        for (int i = 0; i < LogLayout.PARTITIONS; i++) {
            logs.source.term(i).setMemory(0, TERM_LENGTH, (byte) 0);
            logs.image.term(i).putBytes(0, logs.garbage, i * TERM_LENGTH, TERM_LENGTH);
        }
        putZero(start);
    }

    private void putZero(long position) {
        logs.image.term(partition(position)).putLong(offset(position), 0);
    }

    private void connect() {
        int[] inlines = {0, 8, 64};
        queuePair =
                network.pair(
                                sourceDomain,
                                imageDomain,
                                8 + random.nextInt(24),
                                inlines[random.nextInt(inlines.length)])[0];
        landedBefore = 0;
    }

    /**
     * Runs to the end.
     *
     * @throws AssertionError if the reader saw an invalid frame, or the invariant was broken.
     */
    void run() {
        boolean breaks = random.nextInt(5) == 0;
        for (int i = 0; reader.position() < goal; i++) {
            if (i > 400_000) {
                throw new AssertionError("no progress: frames are lost");
            }
            switch (random.nextInt(8)) {
                case 0, 1 -> append();
                case 2 -> send();
                case 3, 4 -> land(1 + random.nextInt(12));
                case 5 -> read(1 + random.nextInt(8));
                case 6 -> credit();
                default -> queuePair.poll(IGNORE);
            }
            if (breaks && random.nextInt(300) == 0) {
                breakAndResume();
            }
        }
        if (!appended.isEmpty() && appended.peek()[0] < reader.position()) {
            throw new AssertionError("a frame at " + appended.peek()[0] + " was never delivered");
        }
    }

    private void append() {
        if (tail >= Math.min(cleaner.limit(consumed, window), goal)) {
            return;
        }
        int left = TERM_LENGTH - offset(tail);
        int length = FrameHeader.LENGTH + random.nextInt(maxFrame - FrameHeader.LENGTH);
        if (FrameHeader.align(length) > left) {
            frame(left, FrameHeader.TYPE_PAD);
        } else {
            frame(length, random.nextInt(16) == 0 ? FrameHeader.TYPE_PAD : FrameHeader.TYPE_DATA);
        }
    }

    private void frame(int length, int type) {
        UnsafeBuffer term = logs.source.term(partition(tail));
        int at = offset(tail);
        for (int i = FrameHeader.LENGTH; i < length; i++) {
            term.putByte(at + i, payload(tail, i));
        }
        term.putInt(at + FrameHeader.TERM_OFFSET, at);
        term.putInt(at + FrameHeader.SESSION_ID, SPEC.sessionId());
        term.putInt(at + FrameHeader.STREAM_ID, SPEC.streamId());
        term.putInt(at + FrameHeader.TERM_ID, termId(tail));
        term.putLong(at + FrameHeader.RESERVED_VALUE, tail ^ salt);
        term.putLongRelease(at, FrameHeader.word(length, FrameHeader.FLAGS_UNFRAGMENTED, type));
        if (type == FrameHeader.TYPE_DATA) {
            appended.add(new long[] {tail, length});
        }
        tail += FrameHeader.align(length);
    }

    private byte payload(long position, int index) {
        return (byte) ((position * 31 + salt >>> 7) + index * 13L | 1);
    }

    private void send() {
        if (queuePair.free() < CommitRule.MAX_WORK_REQUESTS) {
            return;
        }
        long limit = Math.min(consumed + window, consumed + 2L * TERM_LENGTH);
        long end = scanner.available(sent, limit, 64 + random.nextInt(8192));
        if (end == sent && sent < limit) {
            end = scanner.available(sent, consumed + 2L * TERM_LENGTH, 0);
        }
        if (end == sent) {
            return;
        }
        int length = (int) (end - sent);
        rule.stage(queuePair, path, sent, length - scanner.padding(), length);
        batches.add(new long[] {queuePair.post(random.nextInt(4) == 0), end});
        sent = end;
    }

    private void land(int steps) {
        for (int i = 0; i < steps && network.step(); i++) {
            long landed = queuePair.landedCount();
            if (landed != landedBefore) {
                landedBefore = landed;
                while (!batches.isEmpty() && batches.peek()[0] <= landed) {
                    frontier = batches.poll()[1];
                }
            }
            checkFrontier();
            if (random.nextInt(3) == 0) {
                read(1 + random.nextInt(3));
            }
        }
    }

    private void checkFrontier() {
        long word = logs.image.term(partition(frontier)).getLongAcquire(offset(frontier));
        if (checkInvariant && word != 0) {
            throw new AssertionError(
                    "the word at the frontier "
                            + frontier
                            + " is "
                            + Long.toHexString(word)
                            + " before what is behind it is in place");
        }
    }

    private void read(int limit) {
        try {
            reader.poll(this::onFragment, limit);
        } catch (InvalidFrameException e) {
            throw new AssertionError("the reader met an invalid frame: " + e.getMessage(), e);
        }
    }

    private void onFragment(DirectBuffer term, int offset, int length, Header header) {
        long[] expected = appended.poll();
        long position = header.position();
        if (expected == null) {
            throw new AssertionError("a stale frame at " + position + " after all that were sent");
        }
        int frameLength = length + FrameHeader.LENGTH;
        boolean right =
                frameLength == expected[1]
                        && header.termId() == termId(expected[0])
                        && header.termOffset() == offset(expected[0])
                        && header.reservedValue() == (expected[0] ^ salt);
        for (int i = 0; right && i < length; i++) {
            right = term.getByte(offset + i) == payload(expected[0], i + FrameHeader.LENGTH);
        }
        if (!right) {
            throw new AssertionError(
                    "a frame of "
                            + frameLength
                            + " bytes at "
                            + position
                            + " is torn, stale, lost or delivered twice: expected "
                            + expected[1]
                            + " bytes at "
                            + expected[0]);
        }
    }

    private void credit() {
        consumed = subscriber.get();
        cleaner.clean(consumed, 1 + random.nextInt(16_384));
    }

    /** The queue pair fails at any step; the rest is sent again from the end of the image. */
    private void breakAndResume() {
        queuePair.fail("link down");
        queuePair.close();
        queuePair.peer().close();
        read(Integer.MAX_VALUE);
        FrontierScanner.Frontier found = FrontierScanner.scan(logs.image, reader.position());
        if (found.defect() != null || found.position() != frontier) {
            throw new AssertionError(
                    "the frontier is found at "
                            + found.position()
                            + " instead of "
                            + frontier
                            + ", defect "
                            + found.defect());
        }
        batches.clear();
        sent = frontier;
        connect();
    }

    private static int partition(long position) {
        return LogLayout.partition(position, LogLayout.positionBitsToShift(TERM_LENGTH));
    }

    private static int offset(long position) {
        return LogLayout.termOffset(position, TERM_LENGTH);
    }

    private static int termId(long position) {
        return LogLayout.termId(
                position, LogLayout.positionBitsToShift(TERM_LENGTH), INITIAL_TERM_ID);
    }

    private static final QueuePair.Handler IGNORE =
            new QueuePair.Handler() {
                @Override
                public void onMessage(long address, int length) {
                    throw new AssertionError("no messages are sent here");
                }

                @Override
                public void onFailure(String reason) {
                    throw new AssertionError(reason);
                }
            };
}
