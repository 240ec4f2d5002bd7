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

/** Two sides that send whenever they may: neither ever has more under way than the other takes. */
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
        return new MessageWindow(memory, 77, SEND_DEPTH, receives);
    }

    private record OnItsWay(boolean isMessage, long grant) {}

    /** A side: its window, and what is on its way to it. */
    private final class Side {
        private final MessageWindow window;
        private final int receives;
        private final ArrayDeque<OnItsWay> incoming = new ArrayDeque<>();
        private long workRequests;
        private int taken;

        private Side(int receives) {
            this.receives = receives;
            window = window(receives);
        }

        private void send(Side peer, boolean isMessage) {
            if (isMessage) {
                window.onSend();
            }
            long grant = Memory.getLong(window.header(++workRequests));
            peer.incoming.add(new OnItsWay(isMessage, grant));
            assertTrue(
                    peer.incoming.size() <= peer.receives,
                    () -> peer.incoming.size() + " under way; seed " + SEED);
        }

        private void take(Side peer) {
            OnItsWay next = incoming.poll();
            window.onGrant(next.grant);
            if (next.isMessage) {
                window.onTaken();
                taken++;
            }
            if (window.isDue()) {
                send(peer, false);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 8", "8, 4096", "64, 64", "9, 17", "4096, 8"})
    void neverLetsMoreBeUnderWayThanThePeerTakes(int receivesOfOne, int receivesOfTwo) {
        Random random = new Random(SEED);
        Side one = new Side(receivesOfOne);
        Side two = new Side(receivesOfTwo);
        for (int step = 0; step < 200_000; step++) {
            Side side = random.nextBoolean() ? one : two;
            Side other = side == one ? two : one;
            // Now and then a side does nothing but send for a while, or nothing but take.
            if ((step >> 6 & 1) == 0 ? random.nextInt(4) > 0 : random.nextInt(4) == 0) {
                if (side.window.isOpen()) {
                    side.send(other, true);
                }
            } else if (!side.incoming.isEmpty()) {
                side.take(other);
            }
        }
        // Few, where the other side finds the grants only behind thousands of messages.
        assertTrue(one.taken > 200, () -> one.taken + " taken; seed " + SEED);
        assertTrue(two.taken > 200, () -> two.taken + " taken; seed " + SEED);
    }

    /** One side only sends, the other only takes: the grants alone keep it going. */
    @ParameterizedTest
    @CsvSource({"8", "64", "4096"})
    void goesOnWhileOneSideHasNothingToSay(int receives) {
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
    void refusesWhatThePeerHasNoRoomFor() {
        MessageWindow window = window(8);
        for (int i = 0; i < 4; i++) {
            window.onSend();
        }
        assertFalse(window.isOpen());
        assertThrows(IllegalStateException.class, window::onSend);
        window.onGrant(5);
        window.onGrant(3);
        window.onSend();
        assertFalse(window.isOpen());
    }

    @Test
    void keepsTheHeadersOfOutstandingRequestsApart() {
        MessageWindow window = window(64);
        long first = window.header(1);
        for (int id = 2; id <= SEND_DEPTH; id++) {
            assertFalse(window.header(id) == first, "id " + id);
        }
        assertEquals(first, window.header(1 + SEND_DEPTH));
    }
}
