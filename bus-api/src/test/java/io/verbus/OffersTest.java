// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.logbuffer.DirectBufferVector;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.MessageBatch;
import io.verbus.logbuffer.ReservedValueSupplier;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Tests of the ways to offer besides one buffer with a reserved value. */
class OffersTest {
    private static final int MAX_MESSAGE = Stream.TERM_LENGTH / 8;

    private final Stream stream = new Stream();
    private final Image image = stream.ipcImage();
    private final List<byte[]> received = new ArrayList<>();
    private final List<Long> reserved = new ArrayList<>();
    private final FragmentHandler assembler =
            new FragmentAssembler(
                    (buffer, offset, length, header) -> {
                        byte[] message = new byte[length];
                        buffer.getBytes(offset, message);
                        received.add(message);
                        reserved.add(header.reservedValue());
                    });
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[MAX_MESSAGE]);
    private long cleaned;

    OffersTest() {
        for (int i = 0; i < MAX_MESSAGE; i++) {
            bytes.putByte(i, (byte) (i * 31 + i / 251));
        }
        stream.limit.setVolatile(Stream.TERM_LENGTH);
    }

    @AfterEach
    void close() {
        stream.close();
    }

    private void receive() {
        long before;
        do { // padding at the end of a term is not a fragment
            before = image.position();
            image.poll(assembler, 1000);
        } while (image.position() > before);
        stream.consumed(image.position(), cleaned);
        cleaned = image.position();
    }

    private static UnsafeBuffer buffer(String text) {
        return new UnsafeBuffer(text.getBytes());
    }

    private List<String> texts() {
        return received.stream().map(String::new).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsTwoPartsAsOneMessage(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        UnsafeBuffer first = buffer("..head");
        UnsafeBuffer second = buffer("body..");
        assertEquals(64, publication.offer(first, 2, 4, second, 0, 4));
        assertTrue(publication.offer(first, 2, 4, second, 0, 0) > 0);
        assertTrue(publication.offer(first, 0, 0, second, 0, 4) > 0);
        assertTrue(publication.offer(first, 0, 0, second, 0, 0) > 0);
        receive();
        assertEquals(List.of("headbody", "head", "body", ""), texts());
    }

    /** Tries every message length, with every split into parts and fragments. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsAnyNumberOfPartsAsOneMessage(boolean exclusive) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Publication publication = stream.publication(exclusive);
        for (int n = 0; n < 500; n++) {
            int length = random.nextInt(n % 3 == 0 ? 100 : n % 3 == 1 ? 2100 : MAX_MESSAGE + 1);
            int[] cuts = random.ints(random.nextInt(5), 0, length + 1).sorted().toArray();
            DirectBufferVector[] vectors = new DirectBufferVector[cuts.length + 1];
            for (int i = 0; i < vectors.length; i++) {
                int from = i == 0 ? 0 : cuts[i - 1];
                int to = i == cuts.length ? length : cuts[i];
                vectors[i] = new DirectBufferVector(bytes, from, to - from);
            }
            int cut = cuts.length == 0 ? 0 : cuts[0];
            boolean isPair = n % 2 == 0;
            long result;
            do {
                result =
                        isPair
                                ? publication.offer(bytes, 0, cut, bytes, cut, length - cut)
                                : publication.offer(vectors);
            } while (result == Publication.ADMIN_ACTION);
            assertEquals(publication.position(), result, "seed " + seed);
            receive();
            assertEquals(1, received.size(), "seed " + seed);
            byte[] sent = Arrays.copyOf(bytes.byteArray(), length);
            assertArrayEquals(sent, received.removeFirst(), "seed " + seed);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callsSupplierForEachFrameOnceItIsWritten(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        List<String> frames = new ArrayList<>();
        ReservedValueSupplier supplier =
                (term, offset, length) -> {
                    frames.add(offset + "+" + length);
                    return term.getByte(offset + FrameHeader.LENGTH);
                };
        int payload = publication.maxPayloadLength();
        assertTrue(publication.offer(bytes, 1, payload + 5, supplier) > 0);
        DirectBufferVector[] vectors = {new DirectBufferVector(bytes, 2, 9)};
        assertTrue(publication.offer(vectors, supplier) > 0);
        assertTrue(publication.offer(bytes, 3, 1, bytes, 4, 1, supplier) > 0);
        assertEquals(List.of("0+1024", "1024+37", "1088+41", "1152+34"), frames);
        List<Long> values = new ArrayList<>();
        image.poll((buffer, offset, length, header) -> values.add(header.reservedValue()), 10);
        List<Long> expected = new ArrayList<>();
        for (int at : new int[] {1, 1 + payload, 2, 3}) {
            expected.add((long) bytes.getByte(at));
        }
        assertEquals(expected, values);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void storesZeroReservedValueWithoutSupplier(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        for (int at : new int[] {0, 64}) { // content of an earlier lap
            stream.log.term(0).putLong(at + FrameHeader.RESERVED_VALUE, -1);
        }
        publication.offer(bytes, 0, 4, bytes, 0, 4);
        publication.offer(bytes, 0, 4, null);
        receive();
        assertEquals(List.of(0L, 0L), reserved);
    }

    /** The claim is abandoned, and the stream continues. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsNothingWhenSupplierThrows(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        for (int failing = 1; failing <= 3; failing++) {
            int[] left = {failing};
            ReservedValueSupplier supplier =
                    (term, offset, length) -> {
                        if (--left[0] == 0) {
                            throw new IllegalStateException("no value");
                        }
                        return 0;
                    };
            assertThrows(
                    IllegalStateException.class,
                    () -> publication.offer(bytes, 0, 3 * Stream.MTU - 200, supplier));
            assertTrue(publication.offer(buffer("next")) > 0);
        }
        receive();
        assertEquals(List.of("next", "next", "next"), texts());
        assertEquals(publication.position(), image.position());
        assertEquals(List.of(), stream.faults);
    }

    /** The same applies if the other message starts the next term. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void supplierMayOfferAnotherMessage(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        int sent = 0;
        for (int n = 0; n < 200; n++) {
            ReservedValueSupplier supplier =
                    (term, offset, length) -> {
                        while (publication.offer(buffer("inner")) == Publication.ADMIN_ACTION) {}
                        return 0;
                    };
            if (publication.offer(bytes, 0, 1500, supplier) > 0) {
                sent++;
            }
            receive();
        }
        assertEquals(sent, received.stream().filter(message -> message.length == 1500).count());
        assertEquals(2 * sent, received.stream().filter(message -> message.length == 5).count());
        assertEquals(publication.position(), image.position());
        assertTrue(sent > 150, sent + " sent");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rejectsInvalidParts(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        UnsafeBuffer small = new UnsafeBuffer(new byte[8]);
        assertRefused("-1 of a part", () -> publication.offer(small, 0, 9, small, 0, -1));
        assertRefused("is negative", () -> publication.offer(small, 0, -5, small, 0, 8));
        int max = MAX_MESSAGE;
        assertRefused(
                (max + 1) + " is invalid", () -> publication.offer(bytes, 0, max, small, 0, 1));
        int huge = Integer.MAX_VALUE;
        assertRefused("must be between 0", () -> publication.offer(bytes, 0, huge, small, 0, huge));
        assertThrows(
                IndexOutOfBoundsException.class, () -> publication.offer(small, 0, 8, small, 4, 5));
        assertThrows(
                IndexOutOfBoundsException.class, () -> publication.offer(small, 1, 8, small, 0, 0));
        DirectBufferVector[] vectors = {new DirectBufferVector(), new DirectBufferVector()};
        assertRefused("has no buffer", () -> publication.offer(vectors));
        vectors[0].reset(small, 0, 8);
        vectors[1].buffer(small).offset(4).length(5);
        assertThrows(IndexOutOfBoundsException.class, () -> publication.offer(vectors));
        vectors[1].length(-1);
        assertRefused("is negative", () -> publication.offer(vectors));
        vectors[1].reset(bytes, 0, max);
        assertRefused((max + 8) + " is invalid", () -> publication.offer(vectors));
        assertEquals(0, publication.position(), "nothing was claimed");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void returnsErrorCodeIfPartsCannotBeSent(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        DirectBufferVector[] vectors = {new DirectBufferVector(bytes, 0, 8)};
        stream.limit.setVolatile(0);
        assertEquals(Publication.BACK_PRESSURED, publication.offer(vectors));
        stream.connected(false);
        assertEquals(Publication.NOT_CONNECTED, publication.offer(bytes, 0, 1, bytes, 0, 1));
        publication.close();
        assertEquals(Publication.CLOSED, publication.offer(vectors));
        assertEquals(Publication.CLOSED, publication.offer(bytes, 0, 1, bytes, 0, 1));
        assertEquals("CLOSED", Publication.errorString(Publication.CLOSED));
        assertEquals("BACK_PRESSURED", Publication.errorString(Publication.BACK_PRESSURED));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void returnsAvailableWindow(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        assertEquals(Stream.TERM_LENGTH, publication.availableWindow());
        publication.offer(bytes, 0, 33);
        assertEquals(Stream.TERM_LENGTH - 96, publication.availableWindow());
        assertEquals(stream.limit.id(), publication.positionLimitId());
        assertEquals((long) Stream.TERM_LENGTH << 31, publication.maxPossiblePosition());
        assertEquals(16, publication.positionBitsToShift());
        assertEquals(7, publication.initialTermId());
        assertEquals(42, publication.originalRegistrationId());
        assertEquals(false, publication.isOriginal());
        publication.close();
        assertEquals(Publication.CLOSED, publication.availableWindow());
    }

    @Test
    void subscribersSkipAppendedPadding() {
        ExclusivePublication publication = (ExclusivePublication) stream.publication(true);
        assertEquals(32, publication.appendPadding(0));
        assertTrue(publication.offer(buffer("one")) > 0);
        assertEquals(96 + 128, publication.appendPadding(96));
        assertEquals(7, publication.termId());
        assertEquals(224, publication.termOffset());
        assertTrue(publication.offer(buffer("two")) > 0);
        receive();
        assertEquals(List.of("one", "two"), texts());
        assertEquals(publication.position(), image.position());
        assertRefused("-1 is invalid", () -> publication.appendPadding(-1));
        assertRefused("must be between 0", () -> publication.appendPadding(MAX_MESSAGE + 1));
        long result;
        while ((result = publication.appendPadding(MAX_MESSAGE)) > 0) {}
        assertEquals(Publication.ADMIN_ACTION, result);
        stream.limit.setVolatile(0);
        assertEquals(Publication.BACK_PRESSURED, publication.appendPadding(1));
        publication.close();
        assertEquals(Publication.CLOSED, publication.appendPadding(1));
        assertEquals(Publication.CLOSED, publication.offerBlock(bytes, 0, 32));
    }

    /** Offers one stream's log block by block to another stream of the same session. */
    @Test
    void offeredBlocksReproduceStream() {
        try (Stream other = new Stream()) {
            ExclusivePublication copy = (ExclusivePublication) other.publication(true);
            Publication publication = stream.publication(false);
            Image copied = other.ipcImage();
            other.limit.setVolatile(Stream.TERM_LENGTH);
            long copiedCleaned = 0;
            List<byte[]> both = new ArrayList<>();
            FragmentHandler collect =
                    new FragmentAssembler(
                            (buffer, offset, length, header) -> {
                                byte[] message = new byte[length];
                                buffer.getBytes(offset, message);
                                both.add(message);
                            });
            int sent = 0;
            while (publication.position() < 8L * Stream.TERM_LENGTH) {
                if (publication.offer(bytes, 0, sent * 997 % 5000) > 0) {
                    sent++;
                }
                image.blockPoll(
                        (buffer, offset, length, sessionId, termId) -> {
                            boolean isPadding =
                                    buffer.getShort(offset + FrameHeader.TYPE)
                                            == FrameHeader.TYPE_PAD;
                            long end =
                                    isPadding
                                            ? copy.appendPadding(length - FrameHeader.LENGTH)
                                            : copy.offerBlock(buffer, offset, length);
                            assertEquals(image.position() + length, end);
                        },
                        8192);
                while (copied.poll(collect, 100) > 0) {}
                receive();
                other.consumed(copied.position(), copiedCleaned);
                copiedCleaned = copied.position();
                assertEquals(copy.position(), copied.position());
                assertEquals(copy.position(), image.position());
            }
            assertEquals(sent, both.size());
            for (int i = 0; i < sent; i++) {
                assertEquals(i * 997 % 5000, both.get(i).length);
            }
            assertEquals(List.of(), other.faults);
        }
    }

    @Test
    void rejectsBlocksFromAnotherPosition() {
        ExclusivePublication publication = (ExclusivePublication) stream.publication(true);
        publication.offer(buffer("one"));
        publication.offer(buffer("two"));
        UnsafeBuffer block = new UnsafeBuffer(new byte[128]);
        block.putBytes(0, stream.log.term(0), 0, 128);
        assertRefused(
                "term offset 128 starts at offset 0", () -> publication.offerBlock(block, 0, 128));
        block.putInt(FrameHeader.TERM_OFFSET, 128);
        block.putInt(64 + FrameHeader.TERM_OFFSET, 192);
        for (int field : new int[] {FrameHeader.SESSION_ID, 16, FrameHeader.TERM_ID}) {
            block.putInt(64 + field, ~block.getInt(64 + field));
            assertRefused("starts at offset 64 of", () -> publication.offerBlock(block, 0, 128));
            block.putInt(64 + field, ~block.getInt(64 + field));
        }
        for (int length : new int[] {0, 31, -35, 65, Integer.MAX_VALUE}) {
            block.putInt(64, length);
            assertRefused("starts at offset 64 of", () -> publication.offerBlock(block, 0, 128));
        }
        block.putInt(64, 35);
        block.putShort(64 + FrameHeader.TYPE, (short) FrameHeader.TYPE_PAD);
        assertRefused("starts at offset 64 of", () -> publication.offerBlock(block, 0, 128));
        block.putShort(64 + FrameHeader.TYPE, (short) FrameHeader.TYPE_DATA);
        assertRefused("the block is empty: offer", () -> publication.offerBlock(block, 0, 0));
        assertRefused("starts at offset 64 of", () -> publication.offerBlock(block, 0, 96));
        assertThrows(IndexOutOfBoundsException.class, () -> publication.offerBlock(block, 32, 128));
        assertEquals(128, publication.position());
        assertEquals(256, publication.offerBlock(block, 0, 128));
        receive();
        assertEquals(List.of("one", "two", "one", "two"), texts());
        stream.limit.setVolatile(256);
        assertEquals(Publication.BACK_PRESSURED, publication.offerBlock(block, 0, 128));
    }

    private static void assertRefused(String words, Executable call) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, call);
        assertTrue(e.getMessage().contains(words), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsBatchAsContiguousMessages(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        MessageBatch batch = new MessageBatch(3);
        assertTrue(batch.add(buffer("one"), 0, 3));
        assertTrue(batch.add(bytes, 0, 0));
        assertTrue(batch.add(buffer(" three"), 1, 5));
        assertFalse(batch.add(bytes, 0, 1), "beyond the capacity");
        for (int at : new int[] {64, 96}) { // content of an earlier lap
            stream.log.term(0).putLong(at + FrameHeader.RESERVED_VALUE, -1);
        }
        assertEquals(160, publication.offerBatch(batch));
        assertEquals(160, publication.position());
        batch.clear();
        assertEquals(0, batch.size());
        batch.add(buffer("four"), 0, 4);
        assertEquals(224, publication.offerBatch(batch));
        receive();
        assertEquals(List.of("one", "", "three", "four"), texts());
        assertEquals(List.of(0L, 0L, 0L, 0L), reserved);
    }

    /** Batches of any lengths, over many terms: none is split, none is lost. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsBatchesOfAnyLengths(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        Random random = new Random(7);
        MessageBatch batch = new MessageBatch(20);
        for (int n = 0; n < 500; n++) {
            batch.clear();
            List<byte[]> sent = new ArrayList<>();
            int total = 0;
            while (batch.size() < 20) {
                int length = random.nextInt(publication.maxPayloadLength() + 1);
                total += FrameHeader.align(FrameHeader.LENGTH + length);
                if (total > MAX_MESSAGE) {
                    break;
                }
                int offset = random.nextInt(MAX_MESSAGE - length);
                batch.add(bytes, offset, length);
                sent.add(Arrays.copyOfRange(bytes.byteArray(), offset, offset + length));
            }
            long result;
            do {
                result = publication.offerBatch(batch);
            } while (result == Publication.ADMIN_ACTION);
            assertEquals(publication.position(), result);
            receive();
            assertEquals(sent.size(), received.size());
            for (byte[] each : sent) {
                assertArrayEquals(each, received.removeFirst());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void rejectsInvalidBatches(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        MessageBatch batch = new MessageBatch(50);
        assertRefused(
                "the batch has no messages: add a message", () -> publication.offerBatch(batch));
        assertRefused("is negative", () -> batch.add(bytes, 0, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> batch.add(bytes, MAX_MESSAGE - 3, 4));
        int payload = publication.maxPayloadLength();
        batch.add(bytes, 0, payload + 1);
        assertEquals("batch messages=1 capacity=50 bytes=" + (payload + 1), batch.toString());
        assertRefused("a batch allows at most " + payload, () -> publication.offerBatch(batch));
        batch.clear();
        for (int total = 0; total <= MAX_MESSAGE; total += FrameHeader.LENGTH + payload) {
            batch.add(bytes, 0, payload);
        }
        assertRefused("offer fewer messages", () -> publication.offerBatch(batch));
        assertRefused("less than 1", () -> new MessageBatch(0));
        assertEquals(0, publication.position(), "nothing was claimed");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void returnsErrorCodeIfBatchCannotBeSent(boolean exclusive) {
        Publication publication = stream.publication(exclusive);
        MessageBatch batch = new MessageBatch(1);
        batch.add(bytes, 0, 8);
        stream.limit.setVolatile(0);
        assertEquals(Publication.BACK_PRESSURED, publication.offerBatch(batch));
        stream.connected(false);
        assertEquals(Publication.NOT_CONNECTED, publication.offerBatch(batch));
        publication.close();
        assertEquals(Publication.CLOSED, publication.offerBatch(batch));
    }
}
