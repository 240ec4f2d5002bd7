// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

@Timeout(30)
class SocketsTest {
    private static final UnsafeBuffer ROW = new UnsafeBuffer(ByteBuffer.allocateDirect(2048));
    private static final int COUNT = 40;
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final long DEADLINE_NS = 10_000_000_000L;

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void receivesDatagramsIntactInOrderWithSource(String host) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getByName(host), 0);
        Assumptions.assumeTrue(isHere(any), host + " is no address of this host");
        try (DatagramSocket from = DatagramSocket.open(any);
                DatagramSocket to = DatagramSocket.open(any);
                SendBatch out = new SendBatch(8);
                ReceiveBatch in = new ReceiveBatch(4, 2048)) {
            assertTrue(to.receiveBuffer(1 << 20) >= 64 * 1024);
            SocketAddress receiver = new SocketAddress(to.localAddress());
            UnsafeBuffer[] datagrams = new UnsafeBuffer[COUNT];
            int sent = 0;
            for (int i = 0; i < COUNT; i++) {
                datagrams[i] = new UnsafeBuffer(ByteBuffer.allocateDirect(2048));
                datagrams[i].setMemory(0, 2048, (byte) i);
                out.add(receiver, datagrams[i].addressOffset(), 1 + i * 50);
                if (out.isFull()) {
                    sent += out.send(from.fd());
                }
            }
            sent += out.send(from.fd());
            assertEquals(COUNT, sent);
            assertEquals(0, out.errno());
            int received = 0;
            while (received < COUNT) {
                int count = await(in, to);
                for (int i = 0; i < count; i++) {
                    assertEquals(1 + received * 50, in.length(i));
                    assertEquals(received, in.buffer(i).getByte(in.length(i) - 1));
                    assertEquals(from.localAddress(), in.source(i).toInet());
                    assertTrue(in.source(i).isSame(new SocketAddress(from.localAddress())));
                    assertFalse(in.source(i).isSame(receiver));
                    received++;
                }
            }
            assertEquals(0, in.receive(to));
        }
    }

    /** Receives until a call returns datagrams. */
    private static int await(ReceiveBatch in, DatagramSocket socket) {
        long begin = System.nanoTime();
        int count;
        while ((count = in.receive(socket)) == 0) {
            assertTrue(System.nanoTime() - begin < DEADLINE_NS, "nothing arrives");
            Thread.onSpinWait();
        }
        return count;
    }

    private static boolean isHere(InetSocketAddress address) {
        try (DatagramSocket socket = DatagramSocket.open(address)) {
            return socket.localAddress().getPort() != 0;
        } catch (SocketException e) {
            return false;
        }
    }

    @Test
    void truncatesDatagramLongerThanBuffer() {
        try (DatagramSocket from = DatagramSocket.open(ANY);
                DatagramSocket to = DatagramSocket.open(ANY);
                SendBatch out = new SendBatch(1);
                ReceiveBatch in = new ReceiveBatch(1, 64)) {
            UnsafeBuffer datagram = new UnsafeBuffer(ByteBuffer.allocateDirect(128));
            out.add(new SocketAddress(to.localAddress()), datagram.addressOffset(), 128);
            assertEquals(1, out.send(from.fd()));
            assertEquals(1, await(in, to));
            assertEquals(64, in.length(0));
        }
    }

    @Test
    void batchesDatagramsIntoFewCallsOnEachSide() {
        try (DatagramSocket from = DatagramSocket.open(ANY);
                DatagramSocket to = DatagramSocket.open(ANY);
                SendBatch out = new SendBatch(4);
                ReceiveBatch in = new ReceiveBatch(4, 64)) {
            UnsafeBuffer datagram = new UnsafeBuffer(ByteBuffer.allocateDirect(64));
            out.add(new SocketAddress(to.localAddress()), datagram.addressOffset(), 64);
            assertEquals(1, out.send(from.fd()));
            from.connect(to.localAddress());
            for (int i = 0; i < 3; i++) {
                out.add(new SocketAddress(), datagram.addressOffset(), 32);
            }
            assertEquals(3, out.send(from.fd()));
            out.add(new SocketAddress(), datagram.addressOffset(), 16);
            assertEquals(1, out.send(from.fd()));
            assertEquals(3, out.calls());
            assertEquals(1, in.receive(to));
            assertEquals(64, in.length(0));
            assertEquals(4, in.receive(to));
            assertEquals(32, in.length(2));
            assertEquals(16, in.length(3));
            assertEquals(from.localAddress(), in.source(3).toInet());
            assertEquals(2, in.calls());
        }
    }

    @Test
    void joinsDatagramsOfEqualLength() {
        try (DatagramSocket from = DatagramSocket.open(ANY);
                DatagramSocket to = DatagramSocket.open(ANY);
                SendBatch out = new SendBatch(4, 64);
                ReceiveBatch in = new ReceiveBatch(16, 4096)) {
            Assumptions.assumeTrue(from.canSegment(), "this kernel has no UDP_SEGMENT");
            from.connect(to.localAddress());
            out.joins(true);
            addRow(out);
            assertEquals(12, out.count());
            assertEquals(12, out.send(from.fd()));
            assertEquals(1, out.calls());
            assertEquals(12, out.sentDatagrams());
            assertEquals(11, out.sentJoined());
            int received = 0;
            while (received < 12) {
                int count = await(in, to);
                for (int i = 0; i < count; i++) {
                    assertEquals(received < 10 ? 100 : 40, in.length(i));
                    assertEquals(received, in.buffer(i).getByte(0));
                    received++;
                }
            }
            Assumptions.assumeTrue(to.receiveJoined(), "this kernel has no UDP_GRO");
            addRow(out);
            assertEquals(12, out.send(from.fd()));
            assertTrue(in.receive(to) >= 1);
            assertEquals(1040, in.length(0));
            assertEquals(10, in.buffer(0).getByte(1000));
        }
    }

    /** Adds ten datagrams of 100 bytes, one of 40, and another of 40, which cannot be joined. */
    private static void addRow(SendBatch out) {
        UnsafeBuffer row = ROW;
        for (int i = 0; i < 12; i++) {
            int length = i < 10 ? 100 : 40;
            int at = i < 10 ? i * 100 : 1000 + (i - 10) * 40;
            row.setMemory(at, length, (byte) i);
            out.add(new SocketAddress(), row.addressOffset() + at, length);
        }
    }

    @Test
    void rejectsAddressInUse() {
        try (DatagramSocket first = DatagramSocket.open(ANY)) {
            SocketException refused =
                    assertThrows(
                            SocketException.class, () -> DatagramSocket.open(first.localAddress()));
            assertTrue(
                    refused.getMessage().contains("127.0.0.1:" + first.localAddress().getPort()),
                    refused.getMessage());
            assertTrue(refused.getMessage().contains("Address already in use"));
        }
    }

    @Test
    void doesNotCountRejectedDatagram() {
        try (DatagramSocket from = DatagramSocket.open(ANY);
                SendBatch out = new SendBatch(2)) {
            UnsafeBuffer datagram = new UnsafeBuffer(ByteBuffer.allocateDirect(70_000));
            out.add(new SocketAddress(from.localAddress()), datagram.addressOffset(), 70_000);
            assertEquals(0, out.send(from.fd()));
            assertEquals("Message too long", SendBatch.errorText(out.errno()));
            assertEquals(0, out.count());
        }
    }
}
