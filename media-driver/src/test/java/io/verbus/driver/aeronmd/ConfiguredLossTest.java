// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeronmd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.udp.socket.DatagramLoss;
import io.verbus.udp.wire.Frames;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.util.Map;

class ConfiguredLossTest {
    private static final int TERM = 5;
    private static final int LENGTH = 64;

    private final UnsafeBuffer datagram = new UnsafeBuffer(new byte[LENGTH]);

    private static DatagramLoss loss(String name, String variable, String arguments) {
        return new ConfiguredLoss(
                Map.of(
                        ConfiguredLoss.INTERCEPTORS,
                        name,
                        "AERON_UDP_CHANNEL_TRANSPORT_BINDINGS_" + variable,
                        arguments));
    }

    private boolean isLost(DatagramLoss loss, int type, int session, int term, int offset) {
        datagram.putInt(0, LENGTH);
        datagram.putShort(FrameHeader.TYPE, (short) type);
        datagram.putInt(FrameHeader.SESSION_ID, session);
        datagram.putInt(FrameHeader.TERM_ID, term);
        datagram.putInt(FrameHeader.TERM_OFFSET, offset);
        return loss.isLost(datagram, LENGTH);
    }

    private boolean isLost(DatagramLoss loss, int offset) {
        return isLost(loss, FrameHeader.TYPE_DATA, 1, TERM, offset);
    }

    /** Offsets of the datagrams of a term that are lost. */
    private String lost(DatagramLoss loss) {
        StringBuilder lost = new StringBuilder();
        for (int offset = 0; offset < 1024; offset += LENGTH) {
            lost.append(isLost(loss, offset) ? offset + " " : "");
        }
        return lost.toString();
    }

    @Test
    void dropsNothingByDefault() {
        assertEquals("", lost(new ConfiguredLoss(Map.of())));
    }

    @Test
    void dropsRangeOncePerStream() {
        DatagramLoss loss =
                loss("fixed-loss", "FIXED_LOSS_ARGS", "term-id=5|term-offset=102|length=100");
        assertEquals("64 128 192 ", lost(loss), "102 to 202");
        assertEquals("", lost(loss), "sent once more");
        assertTrue(isLost(loss, FrameHeader.TYPE_DATA, 2, TERM, 128), "another stream");
        assertFalse(isLost(loss, FrameHeader.TYPE_DATA, 3, TERM + 1, 128), "another term");
        assertFalse(isLost(loss, Frames.SETUP, 4, TERM, 128), "no data");
    }

    @Test
    void dropsGapsAtMultiplesOfRadix() {
        DatagramLoss loss =
                loss(
                        "multi-gap-loss",
                        "MULTI_GAP_LOSS_ARGS",
                        "term-id=5|gap-radix=200|gap-length=65|total-gaps=2");
        assertEquals("256 320 512 576 ", lost(loss), "256 to 321, 512 to 577; not 0, not 768");
        assertEquals("", lost(loss), "sent once more");
    }

    @Test
    void dropsShareOfFrameTypesInMask() {
        DatagramLoss loss = loss("loss", "LOSS_ARGS", "rate=0.25|seed=7|recv-msg-mask=0x6");
        int[] lost = new int[8];
        for (int i = 0; i < 10_000; i++) {
            for (int type = 0; type < lost.length; type++) {
                lost[type] += isLost(loss, type, 1, TERM, 0) ? 1 : 0;
            }
        }
        assertEquals(2500, lost[FrameHeader.TYPE_DATA], 250);
        assertEquals(2500, lost[Frames.NAK], 250);
        lost[FrameHeader.TYPE_DATA] = 0;
        lost[Frames.NAK] = 0;
        assertEquals("[0, 0, 0, 0, 0, 0, 0, 0]", java.util.Arrays.toString(lost));
    }

    @Test
    void namesInvalidVariable() {
        assertEquals(
                "AERON_UDP_CHANNEL_TRANSPORT_BINDINGS_LOSS_ARGS has rate=2: it must be a number in"
                        + " range",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> loss("loss", "LOSS_ARGS", "rate=2|seed=7|recv-msg-mask=0x6"))
                        .getMessage());
        assertEquals(
                "AERON_UDP_CHANNEL_INCOMING_INTERCEPTORS is fog: it must be loss, fixed-loss or"
                        + " multi-gap-loss",
                assertThrows(IllegalArgumentException.class, () -> loss("fog", "X", ""))
                        .getMessage());
    }
}
