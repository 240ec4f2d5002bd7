// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Random;

/**
 * Two sides send and probe whenever they may: neither ever has more messages outstanding than the
 * other accepts.
 */
class MessageWindowTest {
    private static final long SEED = System.nanoTime();
    private static final int SEND_DEPTH = 16;

    private final Arena arena = Arena.ofConfined();

    @AfterEach
    void close() {
        arena.close();
    }

    private MessageWindow window(int receives) {
        long memory = arena.allocate(MessageWindow.memoryLength(SEND_DEPTH), Long.BYTES).address();
        return new MessageWindow(memory, 77, SEND_DEPTH, receives, true);
    }

    private record OnItsWay(boolean isMessage, long grant, int asked, int answer) {
        /** Delivers a header to the receiving side. */
        void arriveAt(MessageWindow window, long memory) {
            Memory.putLong(memory + MessageWindow.GRANT, grant);
            Memory.putInt(memory + MessageWindow.ASKED, asked);
            Memory.putInt(memory + MessageWindow.ANSWER, answer);
            window.onHeader(memory);
        }

        static OnItsWay from(long header, boolean isMessage) {
            return new OnItsWay(
                    isMessage,
                    Memory.getLong(header + MessageWindow.GRANT),
                    Memory.getInt(header + MessageWindow.ASKED),
                    Memory.getInt(header + MessageWindow.ANSWER));
        }
    }

    /** One side: its window, and the messages in flight to it. */
    private final class Side {
        private final MessageWindow window;
        private final int receives;
        private final ArrayDeque<OnItsWay> incoming = new ArrayDeque<>();
        private final long arrival =
                arena.allocate(MessageWindow.HEADER_LENGTH, Long.BYTES).address();
        private long workRequests;
        private long askedAfter;
        private int taken;
        private int answers;

        private Side(int receives) {
            this.receives = receives;
            window = window(receives);
        }

        private void send(Side peer, boolean isMessage) {
            if (isMessage) {
                window.onSend();
            }
            peer.incoming.add(OnItsWay.from(window.header(++workRequests), isMessage));
            assertTrue(
                    peer.incoming.size() <= peer.receives,
                    () -> peer.incoming.size() + " under way; seed " + SEED);
        }

        private void take(Side peer) {
            OnItsWay next = incoming.poll();
            next.arriveAt(window, arrival);
            if (next.isMessage) {
                window.onTaken();
                taken++;
            }
            sendIfDue(peer);
        }

        private void sendIfDue(Side peer) {
            if (window.isDue()) {
                send(peer, false);
            }
        }

        private boolean isAnswered() {
            return window.answered() > askedAfter;
        }

        /** Probes again as soon as the last probe is answered, immediately or with a message. */
        private void ask(Side peer, boolean atOnce) {
            if (answers == 0 || isAnswered()) {
                answers++;
                askedAfter = workRequests;
                window.ask();
                if (atOnce) {
                    sendIfDue(peer);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 8", "8, 4096", "64, 64", "9, 17", "4096, 8"})
    void limitsOutstandingMessagesToReceivesOfPeer(int receivesOfOne, int receivesOfTwo) {
        Random random = new Random(SEED);
        Side one = new Side(receivesOfOne);
        Side two = new Side(receivesOfTwo);
        for (int step = 0; step < 200_000; step++) {
            Side side = random.nextBoolean() ? one : two;
            Side other = side == one ? two : one;
            if (random.nextInt(4) == 0) {
                side.ask(other, random.nextBoolean());
            }
            // Sometimes a side only sends, or only receives, for a while.
            if ((step >> 6 & 1) == 0 ? random.nextInt(4) > 0 : random.nextInt(4) == 0) {
                if (side.window.isOpen()) {
                    side.send(other, true);
                }
            } else if (!side.incoming.isEmpty()) {
                side.take(other);
            }
        }
        // Few, because the other side finds the grants only after thousands of messages.
        assertTrue(one.taken > 200, () -> one.taken + " taken; seed " + SEED);
        assertTrue(two.taken > 200, () -> two.taken + " taken; seed " + SEED);
        assertTrue(one.answers > 20, () -> one.answers + " answers; seed " + SEED);
        assertTrue(two.answers > 20, () -> two.answers + " answers; seed " + SEED);
    }

    /** One side only sends, the other only receives: grants alone keep it going. */
    @ParameterizedTest
    @CsvSource({"8", "64", "4096"})
    void continuesWhileOneSideSendsNothing(int receives) {
        Side sender = new Side(8);
        Side taker = new Side(receives);
        while (taker.taken < 20_000) {
            boolean moved = false;
            while (sender.window.isOpen()) {
                sender.send(taker, true);
                moved = true;
            }
            while (!taker.incoming.isEmpty()) {
                taker.take(sender);
                moved = true;
            }
            while (!sender.incoming.isEmpty()) {
                sender.take(taker);
                moved = true;
            }
            assertTrue(moved, () -> "nobody may do anything after " + taker.taken + " messages");
        }
    }

    @Test
    void rejectsMessageBeyondWindow() {
        MessageWindow window = window(8);
        for (int i = 0; i < 4; i++) {
            window.onSend();
        }
        assertFalse(window.isOpen());
        assertThrows(IllegalStateException.class, window::onSend);
        long arrival = arena.allocate(MessageWindow.HEADER_LENGTH, Long.BYTES).address();
        new OnItsWay(false, 5, 0, 0).arriveAt(window, arrival);
        new OnItsWay(false, 3, 0, 0).arriveAt(window, arrival);
        window.onSend();
        assertFalse(window.isOpen());
    }

    /** Requests sent without a probe are not answered. */
    @Test
    void countsRequestsBeforeProbeAsAnswered() {
        Side asking = new Side(8);
        Side asked = new Side(8);
        asking.send(asked, true);
        asked.take(asking);
        asked.send(asking, true);
        asking.take(asked);
        assertEquals(0, asking.window.answered());

        asking.ask(asked, true);
        asking.send(asked, true);
        asked.take(asking);
        asking.take(asked);
        assertEquals(2, asking.window.answered());
        assertEquals(3, asking.workRequests);
    }

    @Test
    void ignoresAnswerToEarlierProbe() {
        MessageWindow window = window(8);
        long arrival = arena.allocate(MessageWindow.HEADER_LENGTH, Long.BYTES).address();
        window.ask();
        window.header(1);
        new OnItsWay(false, 4, 0, 0).arriveAt(window, arrival);
        new OnItsWay(false, 4, 0, 2).arriveAt(window, arrival);
        assertEquals(0, window.answered());
        new OnItsWay(false, 4, 0, 1).arriveAt(window, arrival);
        assertEquals(1, window.answered());
    }

    /** A peer that probes continuously makes only one answer due. */
    @Test
    void answersManyProbesWithOneMessageHeader() {
        MessageWindow window = window(8);
        long arrival = arena.allocate(MessageWindow.HEADER_LENGTH, Long.BYTES).address();
        for (int question = 1; question <= 1000; question++) {
            new OnItsWay(false, 4, question, 0).arriveAt(window, arrival);
        }
        assertTrue(window.isDue());
        assertEquals(1000, Memory.getInt(window.header(1) + MessageWindow.ANSWER));
        assertFalse(window.isDue());
    }

    @Test
    void acceptingSideNeverSendsFirst() {
        long memory = arena.allocate(MessageWindow.memoryLength(SEND_DEPTH), Long.BYTES).address();
        MessageWindow window = new MessageWindow(memory, 77, SEND_DEPTH, 8, false);
        window.ask();
        assertFalse(window.isDue());
        assertFalse(window.isOpen());
        assertThrows(IllegalStateException.class, window::onSend);
        new OnItsWay(true, 4, 0, 0).arriveAt(window, memory);
        assertTrue(window.isDue());
        assertTrue(window.isOpen());
    }

    @Test
    void usesSeparateHeadersForOutstandingRequests() {
        MessageWindow window = window(64);
        long first = window.header(1);
        for (int id = 2; id <= SEND_DEPTH; id++) {
            assertFalse(window.header(id) == first, "id " + id);
        }
        assertEquals(first, window.header(1 + SEND_DEPTH));
    }
}
