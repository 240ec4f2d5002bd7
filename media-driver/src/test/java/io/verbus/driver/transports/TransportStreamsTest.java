// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.transports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.ChannelUri;
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

class TransportStreamsTest {
    private static final int TERM = 64 * 1024;
    private static final int QUARTER = TERM / 4;

    private final Recorder publication = new Recorder();
    private final TransportStreams streams = new TransportStreams(publication, TERM);
    private final TransportStream rdma = stream("aeron:rdma?control-mode=manual", new Sending());
    private final TransportStream udp = stream("aeron:udp?control-mode=manual", new Sending());

    private TransportStream stream(String channel, OutboundTransport transport) {
        return new TransportStream(publication, streams, transport, ChannelUri.parse(channel));
    }

    @Test
    void singleStreamDrivesPublicationDirectly() {
        streams.begin(rdma);
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
    void resumesAtPositionThatTransportHasSet() {
        streams.begin(rdma);
        connect(rdma, 0, TERM);
        rdma.senderPosition(8192);
        rdma.onConnected(false);
        assertEquals(8192, rdma.senderPosition(), "a new receiver begins where the publication is");
        rdma.senderPosition(1024);
        rdma.onConnected(true);
        assertEquals(1024, rdma.senderPosition(), "the receiver has the data before");
        assertEquals(8192, publication.senderPosition());
    }

    @Test
    void slowerStreamLimitsPublication() {
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
    void streamWithoutReceiversImposesNoLimit() {
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
    void otherStreamsContinueWhenOneLosesReceivers() {
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
    void keepsLogThatAnyTransportStillReads() {
        begin();
        rdma.onLogRead(4096);
        assertEquals(4096, publication.readTo);
        udp.onLogRead(1024);
        assertEquals(1024, publication.readTo);
        udp.onLogRead(Long.MAX_VALUE);
        assertEquals(4096, publication.readTo);
        rdma.onLogRead(Long.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, publication.readTo);
    }

    @Test
    void leavesNoStreamIfTransportRejectsPublication() {
        TransportStream refused =
                stream(
                        "aeron:udp?control-mode=manual",
                        new Sending() {
                            @Override
                            public CompletableFuture<Void> addPublication(OutboundStream stream) {
                                throw new TransportException("no socket");
                            }
                        });
        streams.begin(rdma);
        assertThrows(TransportException.class, () -> streams.begin(refused));
        assertEquals(List.of(rdma), List.of(streams.all()));
        assertFalse(rdma.goesOnWithoutReceivers());
    }

    @Test
    void finishesOnlyAfterEnd() {
        begin();
        rdma.onReleased();
        udp.onReleased();
        assertFalse(streams.areReleased(), "before its end");
        TransportStreams none = new TransportStreams(publication, TERM);
        assertFalse(none.areReleased());
        none.end();
        assertTrue(none.areReleased(), "it was sent nowhere");
    }

    @Test
    void endsEachStream() {
        begin();
        streams.end();
        assertEquals(List.of(rdma), ((Sending) rdma.transport()).closed);
        assertEquals(List.of(udp), ((Sending) udp.transport()).closed);
        rdma.onReleased();
        assertFalse(streams.areReleased());
        udp.onReleased();
        assertTrue(streams.areReleased());
    }

    /**
     * For any actions of the streams, no data that a stream with receivers may still send is
     * reused, no stream exceeds its credit, and the log holds all of it.
     */
    @Property(tries = 500)
    void neverReusesLogMemoryThatStreamNeeds(@ForAll @Size(max = 300) List<Byte> steps) {
        new TransportStreamsTest().run(steps); // a new instance for each try
    }

    private void run(List<Byte> steps) {
        begin();
        long[] needed = new long[2];
        long granted = 0;
        for (byte step : steps) {
            int which = step & 1;
            TransportStream stream = which == 0 ? rdma : udp;
            long amount = 32L * ((step >> 3 & 31) + 1) * 16;
            switch (step >> 1 & 3) {
                case 0 -> {
                    if (stream.isConnected()) {
                        stream.onConnected(false);
                    } else {
                        long begin = stream.senderPosition();
                        needed[which] = begin;
                        connect(stream, begin, TERM);
                        assertEquals(begin, stream.senderPosition());
                    }
                }
                case 1 -> { // up to the publishers' limit
                    if (stream.isConnected()) {
                        long to = Math.min(publication.limit, stream.senderPosition() + amount);
                        stream.senderPosition(Math.max(to, stream.senderPosition()));
                    }
                }
                default -> {
                    if (stream.isConnected()) {
                        long to = Math.min(needed[which] + amount, stream.senderPosition());
                        needed[which] = to;
                        stream.onReleased(to, TERM);
                    }
                }
            }
            assertEquals(rdma.isConnected() || udp.isConnected(), publication.connected);
            for (int i = 0; i < 2; i++) {
                TransportStream each = i == 0 ? rdma : udp;
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
        streams.begin(rdma);
        streams.begin(udp);
    }

    private static void connect(TransportStream stream, long position, long window) {
        stream.onReleased(position, window);
        stream.onConnected(true);
    }

    /** The publication with positions that never decrease, like the driver's. */
    private static final class Recorder implements OutboundStream {
        private long position;
        private long released;
        private long limit;
        private boolean connected;
        private long readTo = Long.MAX_VALUE;

        @Override
        public long registrationId() {
            return 7;
        }

        @Override
        public ChannelUri channel() {
            throw new UnsupportedOperationException("its streams have one");
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
        public void onLogRead(long position) {
            readTo = position;
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
