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

class RemoteReceiversTest {
    private static final long TIMEOUT_NS = 1000;

    private final CountersManager counters =
            new CountersManager(
                    new UnsafeBuffer(ByteBuffer.allocateDirect(64 * 1024)),
                    new UnsafeBuffer(ByteBuffer.allocateDirect(16 * 1024)));
    private final AtomicCounter count = counters.newCounter("receivers");
    private final KnownReceivers known = new KnownReceivers(count);
    private final RemoteReceivers receivers = RemoteReceivers.dynamic(3, TIMEOUT_NS, known);

    private static SocketAddress from(int port) {
        return new SocketAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 1000 + port));
    }

    /** Sends a challenge to an address, and answers it. */
    private boolean comes(int port, long nowNs) {
        return receivers.mustAsk(from(port), nowNs)
                && receivers.answered(from(port), receivers.question(from(port), nowNs), nowNs);
    }

    @Test
    void acceptsAnsweringReceiversUpToCapacity() {
        for (int i = 0; i < 3; i++) {
            assertFalse(receivers.heard(from(i), i, 0, 0), "a status message alone is not enough");
            assertTrue(comes(i, 0));
            assertTrue(receivers.heard(from(i), i, 0, 0));
        }
        assertFalse(receivers.mustAsk(from(3), 0), "no room");
        receivers.answered(from(3), receivers.question(from(3), 0), 0);
        assertFalse(receivers.heard(from(3), 3, 0, 0), "no room");
        assertTrue(receivers.heard(from(1), 1, 0, 0), "known");
        assertEquals(3, count.get());
    }

    @Test
    void rejectsAnswersToOtherChallenges() {
        long asked = receivers.question(from(1), 0);
        assertFalse(receivers.answered(from(0), asked, 0), "challenge of another address");
        assertFalse(receivers.answered(from(1), asked + 1, 0));
        assertFalse(receivers.answered(from(1), asked, 2_000_000_000), "expired challenge");
        assertTrue(receivers.isEmpty());
        assertTrue(receivers.answered(from(1), asked, 1_999_999_999));
        assertEquals(1, count.get());
    }

    @Test
    void limitsChallengesToUnknownAddresses() {
        int asked = 0;
        for (int i = 0; i < 1000; i++) {
            asked += receivers.mustAsk(from(i), 0) ? 1 : 0;
        }
        assertEquals(16, asked);
        assertTrue(receivers.mustAsk(from(1), 10_000_000), "in the next interval");
    }

    /** Forged status messages do not keep a receiver that has left on the list. */
    @Test
    void dropsReceiverThatStopsAnsweringChallenges() {
        long second = 1_000_000_000;
        RemoteReceivers patient = RemoteReceivers.dynamic(3, 5 * second, known);
        assertTrue(patient.answered(from(0), patient.question(from(0), 0), 0));
        assertTrue(patient.heard(from(0), 0, 0, 0));
        assertFalse(patient.mustAsk(from(0), second - 1), "answered just before");
        assertTrue(patient.mustAsk(from(0), second));
        assertFalse(patient.mustAsk(from(0), second + 1), "challenged just before");
        assertTrue(patient.answered(from(0), patient.question(from(0), second), second));
        int asked = 0;
        for (long now = second; now < 6 * second; now += second / 100) {
            assertTrue(patient.heard(from(0), 0, 0, now));
            asked += patient.mustAsk(from(0), now) ? 1 : 0;
            patient.expire(now);
        }
        assertTrue(asked > 0 && asked <= 400, asked + " questions");
        patient.expire(6 * second);
        assertTrue(patient.isEmpty());
    }

    @Test
    void dropsSilentReceiversToMakeRoom() {
        for (int i = 0; i < 3; i++) {
            assertTrue(comes(i, 0));
        }
        receivers.answered(from(2), receivers.question(from(2), 600), 600);
        receivers.expire(TIMEOUT_NS);
        assertEquals(1, count.get());
        assertTrue(comes(3, TIMEOUT_NS));
        receivers.expire(1599);
        assertEquals(2, count.get());
        receivers.expire(TIMEOUT_NS + 1600);
        assertEquals(0, count.get());
        assertTrue(receivers.isEmpty());
    }

    /**
     * Each stream has its own capacity, and an address that receives several streams counts once.
     */
    @Test
    void countsAddressesOfAllStreamsOnce() {
        RemoteReceivers other = RemoteReceivers.dynamic(3, TIMEOUT_NS, known);
        for (int i = 0; i < 3; i++) {
            assertTrue(comes(i, 0));
        }
        for (int i = 2; i < 5; i++) {
            assertTrue(other.answered(from(i), other.question(from(i), 0), 0));
            assertTrue(other.isKnown(from(i)));
        }
        assertEquals(5, count.get());
        receivers.left(from(2));
        assertFalse(receivers.isKnown(from(2)));
        assertTrue(other.isKnown(from(2)));
        assertEquals(5, count.get());
        other.clear();
        assertEquals(2, count.get());
        assertTrue(comes(4, 0), "takes the place of one that has left");
        receivers.expire(TIMEOUT_NS);
        assertEquals(0, count.get());
    }

    /** A removed receiver does not know yet that it was removed, and keeps responding. */
    @Test
    void ignoresRemovedReceiver() {
        RemoteReceivers manual = RemoteReceivers.manual(TIMEOUT_NS);
        RemoteReceiver added = new RemoteReceiver(from(0), null, null);
        manual.add(added);
        assertTrue(manual.heard(from(0), 7, 0, 0));
        manual.remove(added);
        assertFalse(manual.heard(from(0), 7, 0, 0));
        assertTrue(manual.heard(from(0), 8, 0, 0), "another receiver");
        manual.add(added);
        assertTrue(manual.heard(from(0), 7, 0, 0), "added again");
    }

    @Test
    void acceptsNoDynamicReceiversForManualDestinations() {
        RemoteReceivers manual = RemoteReceivers.manual(TIMEOUT_NS);
        assertTrue(manual.heard(from(0), 0, 0, 0), "heeded");
        assertTrue(manual.isEmpty());
        RemoteReceiver added =
                new RemoteReceiver(
                        from(0), counters.newCounter("released"), counters.newCounter("connected"));
        manual.add(added);
        assertTrue(manual.heard(from(0), 5, 96, 0));
        assertEquals(96, added.released.get());
        assertEquals(1, added.connected.get());
        manual.expire(TIMEOUT_NS);
        assertEquals(0, added.connected.get());
        assertFalse(manual.isEmpty(), "must stay until removed");
        manual.heard(from(0), 5, 128, TIMEOUT_NS);
        manual.remove(added);
        assertTrue(manual.isEmpty());
        assertFalse(manual.heard(from(0), 5, 160, TIMEOUT_NS), "was removed");
        manual.add(added);
        assertTrue(manual.heard(from(0), 5, 160, TIMEOUT_NS), "was added again");
    }
}
