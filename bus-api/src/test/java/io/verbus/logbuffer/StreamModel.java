// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;

import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One stream driven at random by one thread: appended to, claimed from, cleaned, and read, either
 * from the publication's log or from a replica written by the commit rule of a remote log.
 */
final class StreamModel implements AutoCloseable {
    private record Message(byte[] payload, long reservedValue) {}

    private record OpenClaim(BufferClaim claim, AeronAppender.Claim aeron, Message message) {}

    private final Random random;
    private final LogBuffers log;
    private final LogBuffers image;
    private final ConcurrentAppender concurrent;
    private final ExclusiveAppender exclusive;
    private final AeronAppender aeron;
    private final LogCleaner cleaner;
    private final LogScanner scanner;
    private final AtomicLongPosition consumed = new AtomicLongPosition();
    private final LogReader reader;
    private final UnsafeBuffer source;
    private final int maxPayload;
    private final int maxMessage;
    private final int window;
    private final ArrayDeque<Message> expected = new ArrayDeque<>();
    private final List<OpenClaim> claims = new ArrayList<>();
    private final ByteArrayOutputStream partial = new ByteArrayOutputStream();
    private long senderPosition;
    private long limit;
    private int delivered;

    StreamModel(LogSpec spec, boolean isAeron, boolean isReplicated, long seed) {
        random = new Random(seed);
        log = TestLogs.create(spec);
        image = isReplicated ? TestLogs.create(spec) : log;
        boolean isExclusive = spec.type() == LogType.EXCLUSIVE_PUBLICATION;
        aeron = isAeron ? new AeronAppender(log) : null;
        concurrent = isAeron || isExclusive ? null : new ConcurrentAppender(log);
        exclusive = isAeron || !isExclusive ? null : new ExclusiveAppender(log);
        cleaner = new LogCleaner(log, spec.position());
        scanner = new LogScanner(log);
        consumed.set(spec.position());
        reader = new LogReader(image, consumed, isReplicated);
        maxPayload = spec.mtu() - FrameHeader.LENGTH;
        maxMessage = LogLayout.maxMessageLength(spec.termLength());
        source = new UnsafeBuffer(new byte[maxMessage + 64]);
        window = spec.termLength() >> 1 << random.nextInt(3);
        senderPosition = spec.position();
        limit = cleaner.limit(spec.position(), window);
    }

    /** Runs until the reader has passed the given number of bytes, then drains. */
    int run(long bytes) {
        long end = consumed.get() + bytes;
        long idleSince = consumed.get();
        for (int step = 0; consumed.get() < end; step++) {
            switch (random.nextInt(10)) {
                case 0, 1, 2, 3 -> append();
                case 4 -> claim();
                case 5 -> finishClaim();
                default -> consume(1 + random.nextInt(20));
            }
            if (step % 100_000 == 99_999) {
                assertTrue(consumed.get() > idleSince, "the stream stands still");
                idleSince = consumed.get();
            }
        }
        while (!claims.isEmpty()) {
            finishClaim();
        }
        for (int i = 0; i < 1_000_000 && consumed.get() < position(); i++) {
            consume(100);
        }
        assertEquals(position(), consumed.get());
        assertTrue(expected.isEmpty(), "messages were lost");
        FrontierScanner.Frontier frontier = FrontierScanner.scan(image, consumed.get());
        assertEquals(position(), frontier.position());
        assertEquals(null, frontier.defect());
        return delivered;
    }

    private void append() {
        int length =
                random.nextInt(8) == 0
                        ? random.nextInt(maxMessage + 1)
                        : random.nextInt(Math.min(maxMessage, 3 * maxPayload) + 1);
        Message message = message(length);
        int offset = random.nextInt(64);
        source.putBytes(offset, message.payload());
        long before = position();
        long result = append(offset, length, message.reservedValue());
        checkResult(before, result);
        if (result > 0) {
            expected.add(message);
        }
    }

    private long append(int offset, int length, long reservedValue) {
        if (aeron != null) {
            return aeron.append(source, offset, length, reservedValue, limit);
        }
        return exclusive != null
                ? exclusive.append(source, offset, length, reservedValue, limit)
                : concurrent.append(source, offset, length, reservedValue, limit);
    }

    private void claim() {
        if (claims.size() == 3) {
            return;
        }
        Message message = message(random.nextInt(maxPayload + 1));
        if (aeron != null) {
            AeronAppender.Claim claim = aeron.claim(message.payload().length, limit);
            if (claim != null) {
                expected.add(message);
                claims.add(new OpenClaim(null, claim, message));
            }
            return;
        }
        BufferClaim claim = new BufferClaim();
        long before = position();
        long result =
                exclusive != null
                        ? exclusive.claim(message.payload().length, claim, limit)
                        : concurrent.claim(message.payload().length, claim, limit);
        checkResult(before, result);
        if (result > 0) {
            assertEquals(message.payload().length, claim.length());
            expected.add(message);
            claims.add(new OpenClaim(claim, null, message));
        }
    }

    private void finishClaim() {
        if (claims.isEmpty()) {
            return;
        }
        OpenClaim open = claims.remove(random.nextInt(claims.size()));
        if (aeron != null) {
            finish(open.aeron(), open.message());
            return;
        }
        if (random.nextBoolean()) {
            open.claim().reservedValue(open.message().reservedValue());
            open.claim().buffer().putBytes(open.claim().offset(), open.message().payload());
            open.claim().commit();
        } else {
            open.claim().abort();
            expected.removeIf(message -> message == open.message());
        }
    }

    private void finish(AeronAppender.Claim claim, Message message) {
        if (random.nextBoolean()) {
            claim.term().putBytes(claim.payloadOffset(), message.payload());
            claim.commit(message.reservedValue());
        } else {
            claim.abort();
            expected.removeIf(each -> each == message);
        }
    }

    private void checkResult(long before, long result) {
        if (result > 0) {
            assertTrue(before < limit, "appended at or past the limit");
            assertEquals(position(), result);
        } else if (result == AppendResult.BACK_PRESSURED) {
            assertTrue(before >= limit, "refused below the limit");
            assertEquals(before, position());
        } else {
            assertEquals(AppendResult.ADMIN_ACTION, result);
            assertEquals(0, position() & (log.spec().termLength() - 1));
        }
    }

    private void consume(int fragmentLimit) {
        if (image != log) {
            send();
        }
        reader.poll(this::onFragment, fragmentLimit);
        assertEquals(reader.position(), consumed.get());
        // After the sender, as the driver cleans.
        long released = image == log ? consumed.get() : Math.min(consumed.get(), senderPosition);
        cleaner.clean(released, 1 << random.nextInt(17));
        limit = Math.max(limit, cleaner.limit(consumed.get(), window));
        assertEquals(exclusive == null, cleaner.isNeeded());
        assertTrue(
                !cleaner.isNeeded() || limit <= cleaner.cleaned() + 2L * log.spec().termLength());
    }

    private void send() {
        long end =
                scanner.available(
                        senderPosition, consumed.get() + window, 1 + random.nextInt(100_000));
        if (end == senderPosition) {
            return;
        }
        int termLength = log.spec().termLength();
        int from = LogLayout.termOffset(senderPosition, termLength);
        int length = (int) (end - senderPosition);
        assertTrue(from + length <= termLength);
        UnsafeBuffer source = term(log, senderPosition);
        UnsafeBuffer target = term(image, senderPosition);
        term(image, end).putLong(LogLayout.termOffset(end, termLength), 0);
        target.putBytes(from + 8, source, from + 8, length - scanner.padding() - 8);
        target.putLongRelease(from, source.getLong(from));
        senderPosition = end;
    }

    private static UnsafeBuffer term(LogBuffers log, long position) {
        int bits = LogLayout.positionBitsToShift(log.spec().termLength());
        return log.term(LogLayout.partition(position, bits));
    }

    private void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        assertEquals(TestLogs.SESSION_ID, header.sessionId());
        assertEquals(TestLogs.STREAM_ID, header.streamId());
        assertEquals(header.termOffset(), offset - FrameHeader.LENGTH);
        assertEquals(header.termOffset(), buffer.getInt(offset - 32 + FrameHeader.TERM_OFFSET));
        assertEquals(header.termId(), buffer.getInt(offset - 32 + FrameHeader.TERM_ID));
        assertEquals(TestLogs.SESSION_ID, buffer.getInt(offset - 32 + FrameHeader.SESSION_ID));
        assertEquals(TestLogs.STREAM_ID, buffer.getInt(offset - 32 + FrameHeader.STREAM_ID));
        assertTrue(length <= maxPayload);
        Message message = expected.peek();
        assertNotEquals(null, message, "a message that was not sent");
        assertEquals(message.reservedValue(), header.reservedValue());
        boolean first = (header.flags() & FrameHeader.FLAG_BEGIN) != 0;
        assertEquals(first, partial.size() == 0);
        byte[] payload = new byte[length];
        buffer.getBytes(offset, payload);
        partial.writeBytes(payload);
        if ((header.flags() & FrameHeader.FLAG_END) != 0) {
            assertArrayEquals(expected.remove().payload(), partial.toByteArray());
            partial.reset();
            delivered++;
        } else {
            assertFalse(length < maxPayload, "a fragment that is neither full nor the last");
        }
    }

    private Message message(int length) {
        byte[] payload = new byte[length];
        random.nextBytes(payload);
        return new Message(payload, random.nextLong());
    }

    private long position() {
        return LogTail.position(log);
    }

    @Override
    public void close() {
        if (image != log) {
            image.close();
        }
        log.close();
    }
}
