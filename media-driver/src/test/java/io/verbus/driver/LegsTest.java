// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.legs.CarriedStream;
import io.verbus.driver.legs.Leg;
import io.verbus.driver.legs.Legs;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.OutboundTransport;
import io.verbus.transport.TransportException;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

class LegsTest {
    private static final int TERM = 64 * 1024;
    private static final int QUARTER = TERM / 4;

    private final Recorder publication = new Recorder();
    private final Legs legs = new Legs(publication, TERM);
    private final Leg rdma = leg("aeron:rdma?control-mode=manual", new Sending());
    private final Leg udp = leg("aeron:udp?control-mode=manual", new Sending());

    private Leg leg(String channel, OutboundTransport transport) {
        return new Leg(publication, legs, transport, ChannelUri.parse(channel));
    }

    @Test
    void singleLegDrivesPublicationDirectly() {
        legs.begin(rdma);
        rdma.onReleased(0, 4096);
        assertFalse(publication.connected);
        assertEquals(0, publication.limit);
        rdma.onConnected(true);
        assertTrue(publication.connected);
        rdma.senderPosition(4096);
        rdma.onReleased(1024, 8192);
        assertEquals(4096, publication.senderPosition());
        assertEquals(1024, publication.released);
        assertEquals(1024 + 8192, publication.limit);
        assertFalse(rdma.goesOnWithoutReceivers());
        rdma.onConnected(false);
        assertFalse(publication.connected);
    }

    @Test
    void slowerLegLimitsPublication() {
        begin();
        connect(udp, 0, TERM / 2);
        connect(rdma, 0, TERM);
        rdma.senderPosition(20_000);
        rdma.onReleased(20_000, TERM);
        assertEquals(0, publication.released);
        assertEquals(TERM / 2, publication.limit);
        udp.senderPosition(8192);
        udp.onReleased(4096, TERM / 2);
        assertEquals(4096, publication.released);
        assertEquals(4096 + TERM / 2, publication.limit);
        assertEquals(20_000, publication.senderPosition());
        assertEquals(8192, udp.senderPosition());
        assertEquals(20_000, rdma.senderPosition());
    }

    @Test
    void legWithoutReceiversImposesNoLimit() {
        begin();
        connect(rdma, 0, TERM);
        long position = 10L * TERM;
        rdma.senderPosition(position);
        rdma.onReleased(position, TERM);
        assertEquals(position + TERM, publication.limit);
        assertEquals(position - TERM + QUARTER, publication.released);
        assertEquals(position, udp.senderPosition(), "receivers begin where the publication is");
        assertTrue(udp.goesOnWithoutReceivers());
    }

    @Test
    void otherLegsContinueWhenOneLosesReceivers() {
        begin();
        connect(udp, 0, TERM / 2);
        connect(rdma, 0, TERM);
        rdma.senderPosition(TERM / 2);
        rdma.onReleased(TERM / 2, TERM);
        assertEquals(TERM / 2, publication.limit);
        udp.onConnected(false);
        assertTrue(publication.connected);
        assertEquals(TERM / 2 + TERM, publication.limit);
        rdma.onConnected(false);
        assertFalse(publication.connected);
    }

    @Test
    void leavesNoLegIfTransportRejectsPublication() {
        Leg refused =
                leg(
                        "aeron:udp?control-mode=manual",
                        new Sending() {
                            @Override
                            public CompletableFuture<Void> addPublication(OutboundStream stream) {
                                throw new TransportException("no socket");
                            }
                        });
        legs.begin(rdma);
        assertThrows(TransportException.class, () -> legs.begin(refused));
        assertEquals(List.of(rdma), List.of(legs.all()));
        assertFalse(rdma.goesOnWithoutReceivers());
    }

    @Test
    void finishesOnlyAfterEnd() {
        begin();
        rdma.onTransportDone();
        udp.onTransportDone();
        assertFalse(legs.isDone(), "before its end");
        Legs none = new Legs(publication, TERM);
        assertFalse(none.isDone());
        none.end();
        assertTrue(none.isDone(), "it was sent nowhere");
    }

    @Test
    void endsEachLeg() {
        begin();
        legs.end();
        assertEquals(List.of(rdma), ((Sending) rdma.transport()).closed);
        assertEquals(List.of(udp), ((Sending) udp.transport()).closed);
        rdma.onTransportDone();
        assertFalse(legs.isDone());
        udp.onTransportDone();
        assertTrue(legs.isDone());
    }

    /**
     * For any actions of the legs, no data that a leg with receivers may still send is reused, no
     * leg exceeds its credit, and the log holds all of it.
     */
    @Property(tries = 500)
    void neverReusesLogMemoryThatLegNeeds(@ForAll @Size(max = 300) List<Byte> steps) {
        new LegsTest().run(steps); // a new instance for each try
    }

    private void run(List<Byte> steps) {
        begin();
        long[] needed = new long[2];
        long granted = 0;
        for (byte step : steps) {
            int which = step & 1;
            Leg leg = which == 0 ? rdma : udp;
            long amount = 32L * ((step >> 3 & 31) + 1) * 16;
            switch (step >> 1 & 3) {
                case 0 -> {
                    if (leg.isConnected()) {
                        leg.onConnected(false);
                    } else {
                        long begin = leg.senderPosition();
                        needed[which] = begin;
                        connect(leg, begin, TERM);
                        assertEquals(begin, leg.senderPosition());
                    }
                }
                case 1 -> { // up to the publishers' limit
                    if (leg.isConnected()) {
                        long to = Math.min(publication.limit, leg.senderPosition() + amount);
                        leg.senderPosition(Math.max(to, leg.senderPosition()));
                    }
                }
                default -> {
                    if (leg.isConnected()) {
                        long to = Math.min(needed[which] + amount, leg.senderPosition());
                        needed[which] = to;
                        leg.onReleased(to, TERM);
                    }
                }
            }
            assertEquals(rdma.isConnected() || udp.isConnected(), publication.connected);
            for (int i = 0; i < 2; i++) {
                Leg each = i == 0 ? rdma : udp;
                if (each.isConnected()) {
                    assertTrue(publication.released <= needed[i], "reused");
                    assertTrue(publication.limit <= Math.max(granted, needed[i] + TERM), "granted");
                }
            }
            granted = Math.max(granted, publication.limit);
            assertTrue(publication.limit - publication.released <= 2L * TERM, "room");
            assertTrue(publication.senderPosition() >= rdma.senderPosition());
            assertTrue(publication.senderPosition() >= udp.senderPosition());
        }
    }

    private void begin() {
        legs.begin(rdma);
        legs.begin(udp);
    }

    private static void connect(Leg leg, long position, long window) {
        leg.onReleased(position, window);
        leg.onConnected(true);
    }

    /** The publication with positions that never decrease, like the driver's. */
    private static final class Recorder implements CarriedStream {
        private long position;
        private long released;
        private long limit;
        private boolean connected;

        @Override
        public NetworkPublication publication() {
            throw new UnsupportedOperationException("it has no driver");
        }

        @Override
        public void onTransportDone() {
            throw new UnsupportedOperationException("no transport has it");
        }

        @Override
        public long registrationId() {
            return 7;
        }

        @Override
        public ChannelUri channel() {
            throw new UnsupportedOperationException("its legs have one");
        }

        @Override
        public LogBuffers log() {
            throw new UnsupportedOperationException("nothing is sent");
        }

        @Override
        public long senderPosition() {
            return position;
        }

        @Override
        public long releasedPosition() {
            return released;
        }

        @Override
        public void senderPosition(long newPosition) {
            assertTrue(newPosition >= position, "back from " + position);
            position = newPosition;
        }

        @Override
        public void onReleased(long newReleased, long window) {
            limit = Math.max(limit, newReleased + window);
            released = Math.max(released, newReleased);
        }

        @Override
        public void onConnected(boolean nowConnected) {
            connected = nowConnected;
        }

        @Override
        public boolean goesOnWithoutReceivers() {
            return false;
        }

        @Override
        public void onNak() {}

        @Override
        public void onCreditStall() {}

        @Override
        public long finalPosition() {
            return LogLayout.NOT_ENDED;
        }

        @Override
        public boolean isRevoked() {
            return false;
        }
    }

    /** A transport that records its calls. */
    private static class Sending implements OutboundTransport {
        private final List<OutboundStream> closed = new ArrayList<>();

        @Override
        public CompletableFuture<Void> addPublication(OutboundStream stream) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void closePublication(OutboundStream stream) {
            closed.add(stream);
        }

        @Override
        public void addDestination(OutboundStream stream, ChannelUri destination) {}

        @Override
        public void removeDestination(OutboundStream stream, ChannelUri destination) {}

        @Override
        public String localAddress(OutboundStream stream) {
            return null;
        }
    }
}
