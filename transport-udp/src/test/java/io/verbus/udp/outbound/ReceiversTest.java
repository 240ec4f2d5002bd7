// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

class ReceiversTest {
    private static final long TIMEOUT_NS = 1000;

    private final CountersManager counters =
            new CountersManager(
                    new UnsafeBuffer(ByteBuffer.allocateDirect(64 * 1024)),
                    new UnsafeBuffer(ByteBuffer.allocateDirect(16 * 1024)));
    private final AtomicCounter count = counters.newCounter("receivers");
    private final Receivers receivers = Receivers.dynamic(3, TIMEOUT_NS, count);

    private static SocketAddress from(int port) {
        return new SocketAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1000 + port));
    }

    @Test
    void takesInWhoAnswersAndNoMoreThanThereIsRoomFor() {
        for (int i = 0; i < 3; i++) {
            assertTrue(receivers.heard(from(i), i, 0, 0));
        }
        assertFalse(receivers.heard(from(3), 3, 0, 0), "no room");
        assertTrue(receivers.heard(from(1), 1, 0, 0), "known");
        assertEquals(3, count.get());
    }

    @Test
    void forgetsWhoIsSilentAndHasRoomAgain() {
        for (int i = 0; i < 3; i++) {
            receivers.heard(from(i), i, 0, 0);
        }
        receivers.heard(from(2), 2, 0, 600);
        receivers.expire(TIMEOUT_NS);
        assertEquals(1, count.get());
        assertTrue(receivers.heard(from(3), 3, 0, TIMEOUT_NS));
        receivers.expire(1599);
        assertEquals(2, count.get());
        receivers.expire(TIMEOUT_NS + 1600);
        assertEquals(0, count.get());
        assertTrue(receivers.isEmpty());
    }

    @Test
    void answersFewStrangersAtATimeAndNoneThatIsKnown() {
        receivers.heard(from(0), 0, 0, 0);
        assertFalse(receivers.mayAnswerStranger(from(0), 20_000_000), "is sent to anyway");
        int answered = 0;
        for (int i = 0; i < 1000; i++) {
            answered += receivers.mayAnswerStranger(from(1 + i), 20_000_000) ? 1 : 0;
        }
        assertEquals(16, answered);
        assertTrue(receivers.mayAnswerStranger(from(1), 30_000_000), "another time");
    }

    /** A receiver that was removed does not know it yet, and goes on answering. */
    @Test
    void doesNotHeedWhoWasRemoved() {
        Receivers manual = Receivers.manual(TIMEOUT_NS);
        Receiver added = new Receiver(from(0), null, null);
        manual.add(added);
        assertTrue(manual.heard(from(0), 7, 0, 0));
        manual.remove(added);
        assertFalse(manual.heard(from(0), 7, 0, 0));
        assertTrue(manual.heard(from(0), 8, 0, 0), "somebody else");
        manual.add(added);
        assertTrue(manual.heard(from(0), 7, 0, 0), "added again");
    }

    @Test
    void takesInNobodyWhereDestinationsAreAdded() {
        Receivers manual = Receivers.manual(TIMEOUT_NS);
        assertTrue(manual.heard(from(0), 0, 0, 0), "heeded");
        assertTrue(manual.isEmpty());
        assertFalse(manual.mayAnswerStranger(from(0), 20_000_000));
        Receiver added =
                new Receiver(
                        from(0), counters.newCounter("released"), counters.newCounter("connected"));
        manual.add(added);
        assertTrue(manual.heard(from(0), 5, 96, 0));
        assertEquals(96, added.released.get());
        assertEquals(1, added.connected.get());
        manual.expire(TIMEOUT_NS);
        assertEquals(0, added.connected.get());
        assertFalse(manual.isEmpty(), "stays until it is removed");
        manual.heard(from(0), 5, 128, TIMEOUT_NS);
        manual.remove(added);
        assertTrue(manual.isEmpty());
        assertFalse(manual.heard(from(0), 5, 160, TIMEOUT_NS), "is heeded no more");
        manual.add(added);
        assertTrue(manual.heard(from(0), 5, 160, TIMEOUT_NS), "was added again");
    }
}
