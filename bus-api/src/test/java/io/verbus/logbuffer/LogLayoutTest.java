// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.BusException;
import io.verbus.cnc.LayoutPicture;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

import org.agrona.BitUtil;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Map;

class LogLayoutTest {
    @Test
    void diagramMatchesMetadata() throws IOException {
        assertEquals(
                Map.ofEntries(
                        Map.entry("raw tail of term 0..2", LogLayout.RAW_TAILS),
                        Map.entry("active term count", LogLayout.ACTIVE_TERM_COUNT),
                        Map.entry("end-of-stream position", LogLayout.END_OF_STREAM),
                        Map.entry("connected", LogLayout.CONNECTED),
                        Map.entry("active transport count", LogLayout.ACTIVE_TRANSPORT_COUNT),
                        Map.entry("registration id", LogLayout.REGISTRATION_ID),
                        Map.entry("initial term id", LogLayout.INITIAL_TERM_ID),
                        Map.entry("default header length", LogLayout.DEFAULT_HEADER_LENGTH),
                        Map.entry("longest frame", LogLayout.MTU),
                        Map.entry("term length", LogLayout.TERM_LENGTH),
                        Map.entry("page size", LogLayout.PAGE_LENGTH),
                        Map.entry("default frame header", LogLayout.DEFAULT_HEADER),
                        Map.entry("revoked", LogLayout.REVOKED),
                        Map.entry("log type", LogLayout.TYPE),
                        Map.entry("unblocked position", LogLayout.UNBLOCKED),
                        Map.entry("zeroes ahead", LogLayout.ZEROES_AHEAD),
                        Map.entry("partial", LogLayout.PARTIAL)),
                LayoutPicture.offsets(LogLayout.class));
    }

    @Test
    void diagramMatchesNotes() throws IOException {
        assertEquals(
                Map.ofEntries(
                        Map.entry("publication window", LogNotes.PUBLICATION_WINDOW),
                        Map.entry("receiver window", LogNotes.RECEIVER_WINDOW),
                        Map.entry("send buffer", LogNotes.SEND_BUFFER),
                        Map.entry("receive buffer", LogNotes.RECEIVE_BUFFER),
                        Map.entry("max resend", LogNotes.MAX_RESEND),
                        Map.entry("publication tag", LogNotes.PUBLICATION_TAG),
                        Map.entry("response id", LogNotes.RESPONSE_ID),
                        Map.entry("linger", LogNotes.LINGER),
                        Map.entry("untethered window limit", LogNotes.UNTETHERED_WINDOW_LIMIT),
                        Map.entry("untethered resting", LogNotes.UNTETHERED_RESTING),
                        Map.entry("group", LogNotes.GROUP),
                        Map.entry("rejoins", LogNotes.REJOINS),
                        Map.entry("reliable", LogNotes.RELIABLE),
                        Map.entry("signals end", LogNotes.TELLS_END),
                        Map.entry("spies simulate connection", LogNotes.SPIES_CONNECT),
                        Map.entry("tethered", LogNotes.TETHERED),
                        Map.entry("untethered linger", LogNotes.UNTETHERED_LINGER)),
                LayoutPicture.offsets(LogNotes.class));
    }

    @Test
    void diagramMatchesFrameHeader() throws IOException {
        assertEquals(
                Map.of(
                        "frame length", FrameHeader.FRAME_LENGTH,
                        "version | flags | type", FrameHeader.VERSION,
                        "term offset", FrameHeader.TERM_OFFSET,
                        "session id", FrameHeader.SESSION_ID,
                        "stream id", FrameHeader.STREAM_ID,
                        "term id", FrameHeader.TERM_ID,
                        "reserved value", FrameHeader.RESERVED_VALUE,
                        "payload ...", FrameHeader.LENGTH),
                LayoutPicture.offsets(FrameHeader.class));
        assertEquals(FrameHeader.VERSION + 1, FrameHeader.FLAGS);
        assertEquals(FrameHeader.VERSION + 2, FrameHeader.TYPE);
    }

    @Test
    void separatesFieldsOfDifferentWritersByCacheLines() {
        int line = BitUtil.CACHE_LINE_LENGTH;
        int tails = LogLayout.RAW_TAILS / line;
        assertEquals(tails, (LogLayout.ACTIVE_TERM_COUNT + 3) / line, "one line for publishers");
        int driver = LogLayout.END_OF_STREAM / line;
        assertTrue(driver > tails);
        assertEquals(driver, LogLayout.CONNECTED / line);
        assertTrue(LogLayout.REGISTRATION_ID / line > driver);
        assertTrue(LogLayout.UNBLOCKED / line > LogLayout.TYPE / line);
    }

    @Property
    void computesPositionFromTermAndOffset(
            @ForAll @LongRange(min = 0, max = (1L << 31) - 1) long termCount,
            @ForAll @IntRange(min = 0, max = 65535) int offset,
            @ForAll @IntRange(min = 0, max = 14) int doublings,
            @ForAll int initialTermId) {
        int termLength = LogLayout.MIN_TERM_LENGTH << doublings;
        int bits = LogLayout.positionBitsToShift(termLength);
        long position = (termCount << bits) + offset;
        int termId = LogLayout.termId(position, bits, initialTermId);
        assertEquals(position, LogLayout.position(termId, offset, bits, initialTermId));
        assertEquals(offset, LogLayout.termOffset(position, termLength));
        assertEquals(LogLayout.partition((int) termCount), LogLayout.partition(position, bits));
        assertTrue(position < LogLayout.maxPosition(termLength));
        long rawTail = LogLayout.rawTail(termId, offset);
        assertEquals(termId, LogLayout.termId(rawTail));
        assertEquals(offset, LogLayout.tailOffset(rawTail));
    }

    @Property
    void decodesFieldsOfHeaderWord(
            @ForAll int length,
            @ForAll @IntRange(min = 0, max = 255) int flags,
            @ForAll @IntRange(min = 0, max = 65535) int type) {
        long word = FrameHeader.word(length, flags, type);
        assertEquals(length, FrameHeader.length(word));
        assertEquals(flags, FrameHeader.flags(word));
        assertEquals(type, FrameHeader.type(word));
    }

    @Test
    void specRejectsInvalidValues() {
        assertWrong("term length 65535", () -> TestLogs.spec(65535, 1408, 0, 0));
        assertWrong("term length 98304", () -> TestLogs.spec(98304, 1408, 0, 0));
        assertWrong("term length -2147483648", () -> TestLogs.spec(1 << 31, 1408, 0, 0));
        assertWrong("MTU 32", () -> TestLogs.spec(65536, 32, 0, 0));
        assertWrong("MTU 100", () -> TestLogs.spec(65536, 100, 0, 0));
        assertWrong("MTU 65536", () -> TestLogs.spec(65536, 65536, 0, 0));
        assertWrong("position -32", () -> TestLogs.spec(65536, 1408, 0, -32));
        assertWrong("position 33", () -> TestLogs.spec(65536, 1408, 0, 33));
        assertWrong("position 140737488355328", () -> TestLogs.spec(65536, 1408, 0, 1L << 47));
    }

    private static void assertWrong(String start, Runnable spec) {
        BusException e = assertThrows(BusException.class, spec::run);
        assertTrue(e.getMessage().startsWith(start), e.getMessage());
    }
}
