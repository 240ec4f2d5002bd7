// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.rdma.auth.Proof;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

class ControlReaderTest {
    private static final Setup OFFER =
            new Setup(
                    7,
                    -3,
                    1001,
                    -9,
                    65_536,
                    1408,
                    96,
                    0x7f00_0000_1000L,
                    0xFFFF_0001,
                    -5,
                    true,
                    true,
                    -11);

    private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(1024));
    private final ControlEncoder writer = new ControlEncoder(Versions.OURS.highest());
    private final ControlDecoder reader = new ControlDecoder();
    private final List<Object> heard = new ArrayList<>();

    private final ControlDecoder.Offers offers =
            new ControlDecoder.Offers() {
                @Override
                public void onProof(Proof proof) {
                    heard.add(proof);
                }

                @Override
                public void onSetup(Setup offer) {
                    heard.add(offer);
                }

                @Override
                public void onClose(long registrationId, long finalPosition, StreamEnd end) {
                    heard.add(List.of(registrationId, finalPosition, end));
                }

                @Override
                public void onGoodbye() {
                    heard.add("goodbye");
                }
            };

    private final ControlDecoder.Answers answers =
            new ControlDecoder.Answers() {
                @Override
                public void onAccept(
                        long registrationId,
                        long logAddress,
                        int logKey,
                        long position,
                        int window,
                        boolean isTagged,
                        long groupTag) {
                    heard.add(
                            List.of(
                                    registrationId,
                                    logAddress,
                                    logKey,
                                    position,
                                    window,
                                    isTagged ? "tag " + groupTag : "no tag"));
                }

                @Override
                public void onWanted(long registrationId) {
                    heard.add("wanted " + registrationId);
                }

                @Override
                public void onAgain(long registrationId) {
                    heard.add("again " + registrationId);
                }

                @Override
                public void onDefer(long registrationId, String streams) {
                    heard.add(streams == null ? registrationId : registrationId + ": " + streams);
                }

                @Override
                public void onReject(long registrationId, RejectCode code, String text) {
                    heard.add(List.of(registrationId, code, text));
                }

                @Override
                public void onImageClosed(long registrationId) {
                    heard.add(registrationId);
                }

                @Override
                public void onResponseSession(long registrationId, int sessionId) {
                    heard.add("session " + sessionId + " to " + registrationId);
                }

                @Override
                public void onGoodbye() {
                    heard.add("goodbye");
                }
            };

    private String readOffer(int length) {
        return reader.readOffer(buffer.addressOffset(), length, offers);
    }

    private String readAnswer(int length) {
        return reader.readAnswer(buffer.addressOffset(), length, answers);
    }

    @Test
    void readsMessagesThatWriterWrites() {
        assertNull(readOffer(writer.proof(buffer, 0, new Proof(1, -2, 3, -4))));
        assertNull(readOffer(writer.setup(buffer, 0, OFFER, 96, true)));
        assertNull(readOffer(writer.close(buffer, 0, 7, 128, StreamEnd.REVOKED)));
        assertNull(
                readAnswer(
                        writer.accept(
                                buffer,
                                0,
                                7,
                                0x7f00_0000_0000L,
                                -2,
                                96,
                                65_536,
                                OptionalLong.of(-3))));
        assertNull(readAnswer(writer.accept(buffer, 0, 7, 64, 3, 96, 64, OptionalLong.empty())));
        assertNull(readAnswer(writer.defer(buffer, 0, 8, null)));
        assertNull(readAnswer(writer.defer(buffer, 0, 8, "10, 12")));
        assertNull(readAnswer(writer.defer(buffer, 0, 8, "")));
        assertNull(readAnswer(writer.wanted(buffer, 0, 8)));
        assertNull(readAnswer(writer.again(buffer, 0, 8)));
        assertNull(readAnswer(writer.reject(buffer, 0, 9, RejectCode.NOT_ALLOWED, "no")));
        assertNull(readAnswer(writer.imageClosed(buffer, 0, 10)));
        assertNull(readAnswer(writer.responseSession(buffer, 0, 11, -12)));
        assertNull(readOffer(writer.goodbye(buffer, 0)));
        assertNull(readAnswer(writer.goodbye(buffer, 0)));
        assertEquals(
                List.of(
                        new Proof(1, -2, 3, -4),
                        OFFER,
                        List.of(7L, 128L, StreamEnd.REVOKED),
                        List.of(7L, 0x7f00_0000_0000L, -2, 96L, 65_536, "tag -3"),
                        List.of(7L, 64L, 3, 96L, 64, "no tag"),
                        8L,
                        "8: 10, 12",
                        "8: ",
                        "wanted 8",
                        "again 8",
                        List.of(9L, RejectCode.NOT_ALLOWED, "no"),
                        10L,
                        "session -12 to 11",
                        "goodbye",
                        "goodbye"),
                heard);
    }

    @Test
    void truncatesLongText() {
        String text = "x".repeat(500);
        assertNull(readAnswer(writer.reject(buffer, 0, 9, RejectCode.NO_RESOURCES, text)));
        assertNull(readAnswer(writer.defer(buffer, 0, 8, text)));
        assertEquals(
                List.of(
                        List.of(9L, RejectCode.NO_RESOURCES, "x".repeat(160)),
                        "8: " + "x".repeat(160)),
                heard);
    }

    @Test
    void omitsStreamsForPreviousRelease() {
        ControlEncoder old = new ControlEncoder(Versions.OURS.lowest());
        assertEquals(writer.defer(buffer, 0, 8, null), old.defer(buffer, 0, 8, "10"));
        assertNull(readAnswer(old.defer(buffer, 0, 8, "10")));
        assertEquals(List.of(8L), heard);
    }

    @Test
    void rejectsStreamsLongerThanTheirMessage() {
        int length = writer.defer(buffer, 0, 8, "10, 12");
        assertEquals(
                "Defer has a text of 6 bytes in a message of " + (length - 1) + " bytes",
                readAnswer(length - 1));
        assertEquals(List.of(), heard);
    }

    @Test
    void rejectsTooShortAndTooLongMessages() {
        int length = writer.setup(buffer, 0, OFFER, 96, true);
        for (int wrong = 0; wrong <= 300; wrong++) {
            if (wrong < length || wrong > RdmaOptions.MESSAGE_LENGTH) {
                assertTrue(readOffer(wrong) != null, "length " + wrong);
            }
        }
        length = writer.reject(buffer, 0, 9, RejectCode.NOT_ALLOWED, "no");
        for (int wrong = 0; wrong <= 300; wrong++) {
            if (wrong < length || wrong > RdmaOptions.MESSAGE_LENGTH) {
                assertTrue(readAnswer(wrong) != null, "length " + wrong);
            }
        }
        assertTrue(heard.isEmpty());
    }

    /**
     * Messages as a later release writes them: of another version, with additional fields and data.
     */
    @Property(tries = 500)
    void skipsFieldsAndDataOfLaterRelease(
            @ForAll @IntRange(max = 40) int fields,
            @ForAll @IntRange(max = 40) int data,
            @ForAll @IntRange(min = 1, max = 65_535) int version,
            @ForAll byte noise) {
        heard.clear();
        int length = later(writer.setup(buffer, 0, OFFER, 96, true), fields, data, version, noise);
        assertNull(readOffer(length));
        length =
                later(
                        writer.accept(buffer, 0, 7, 64, 3, 96, 64, OptionalLong.empty()),
                        fields,
                        data,
                        version,
                        noise);
        assertNull(readAnswer(length));
        length =
                later(
                        writer.reject(buffer, 0, 9, RejectCode.NOT_ALLOWED, "no"),
                        fields,
                        data,
                        version,
                        noise);
        assertNull(readAnswer(length));
        assertNull(readOffer(later(writer.goodbye(buffer, 0), fields, data, version, noise)));
        assertEquals(
                List.of(
                        OFFER,
                        List.of(7L, 64L, 3, 96L, 64, "no tag"),
                        List.of(9L, RejectCode.NOT_ALLOWED, "no"),
                        "goodbye"),
                heard);
    }

    /** A length beyond the message is reported, wherever the block claims to end. */
    @Property(tries = 500)
    void rejectsBlockLongerThanMessage(
            @ForAll @IntRange(min = 1, max = 65_000) int more, @ForAll boolean asReject) {
        int length =
                asReject
                        ? writer.reject(buffer, 0, 9, RejectCode.NOT_ALLOWED, "no")
                        : writer.setup(buffer, 0, OFFER, 96, true);
        int block = asReject ? length - 8 : length - 8 + more;
        buffer.putShort(0, (short) (asReject ? block + more : block));
        assertTrue((asReject ? readAnswer(length) : readOffer(length)) != null);
        assertTrue(heard.isEmpty());
    }

    private int later(int length, int fields, int data, int version, byte noise) {
        int block = 8 + Short.toUnsignedInt(buffer.getShort(0));
        byte[] behind = new byte[length - block];
        buffer.getBytes(block, behind);
        buffer.setMemory(block, fields + behind.length + data, noise);
        buffer.putBytes(block + fields, behind);
        buffer.putShort(0, (short) (block - 8 + fields));
        buffer.putShort(6, (short) version);
        return length + fields + data;
    }

    @Test
    void rejectsInvalidValues() {
        assertWrongSetup("term length", 8 + 20, 65_537);
        assertWrongSetup("term length", 8 + 20, 0);
        assertWrongSetup("term length", 8 + 20, Integer.MIN_VALUE);
        assertWrongSetup("MTU", 8 + 24, 33);
        assertWrongSetup("MTU", 8 + 24, -32);
        assertWrongSetup("position", 8 + 28, 97);
        assertWrongSetup("position", 8 + 32, -1);
        assertWrongSetup("position", 8 + 32, Integer.MAX_VALUE);
        assertWrongSetup("credit address", 8 + 36, 8);
        assertWrongSetup("resuming", 8 + 56, 2);
        assertWrongSetup("response flag", 8 + 57, 2);

        assertWrongAccept("window", 7, 64, 96, 0);
        assertWrongAccept("window", 7, 64, 96, -1);
        assertWrongAccept("position", 7, 64, -32, 64);
        assertWrongAccept("log address", 7, 0, 96, 64);
        assertWrongAccept("log address", 7, 65, 96, 64);
        assertWrongAccept("log address", 7, -64, 96, 64);
        assertWrongAccept("log address", 7, -(3L << 30), 96, 64);

        assertTrue(
                readOffer(writer.close(buffer, 0, 7, -32, StreamEnd.PLACED))
                        .contains("final position"));
        assertTrue(readOffer(writer.defer(buffer, 0, 7, null)).contains("template"));
        assertTrue(readOffer(writer.again(buffer, 0, 7)).contains("template"));
        int length = writer.close(buffer, 0, 7, 32, StreamEnd.PLACED);
        for (int end = 4; end < 256; end++) {
            buffer.putByte(length - 1, (byte) end);
            assertTrue(readOffer(length).contains("unknown end " + end), "end " + end);
        }
        assertTrue(
                readAnswer(writer.close(buffer, 0, 7, 32, StreamEnd.PLACED)).contains("template"));
        assertTrue(heard.isEmpty());
    }

    private void assertWrongSetup(String words, int offset, int value) {
        int length = writer.setup(buffer, 0, OFFER, 96, true);
        buffer.putInt(offset, value);
        String wrong = readOffer(length);
        assertTrue(wrong != null && wrong.contains(words), words + ": " + wrong);
    }

    private void assertWrongAccept(
            String words, long registration, long address, long position, int window) {
        String wrong =
                readAnswer(
                        writer.accept(
                                buffer,
                                0,
                                registration,
                                address,
                                5,
                                position,
                                window,
                                OptionalLong.empty()));
        assertTrue(wrong != null && wrong.contains(words), words + ": " + wrong);
    }

    @Property(tries = 5_000)
    void readsOrRejectsRandomBytes(@ForAll @Size(max = 256) byte[] bytes) {
        buffer.putBytes(0, bytes);
        String asOffer = readOffer(bytes.length);
        String asAnswer = readAnswer(bytes.length);
        assertTrue(
                asOffer != null || asAnswer != null || heard.contains("goodbye"),
                "no other message is both");
    }

    /** A valid header, so that the checks of the values are reached. */
    @Property(tries = 5_000)
    void readsOrRejectsRandomValues(
            @ForAll @Size(value = 66) byte[] values, @ForAll boolean asSetup) {
        int length =
                asSetup
                        ? writer.setup(buffer, 0, OFFER, 96, true)
                        : writer.accept(buffer, 0, 1, 64, 1, 32, 64, OptionalLong.empty());
        buffer.putBytes(8, values, 0, length - 8);
        String wrong = asSetup ? readOffer(length) : readAnswer(length);
        assertTrue(wrong != null || !heard.isEmpty());
    }
}
