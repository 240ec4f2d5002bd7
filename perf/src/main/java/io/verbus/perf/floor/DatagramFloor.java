// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Arrivals;
import io.verbus.perf.load.Initiator;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.ReplyHandler;
import io.verbus.perf.load.Sink;
import io.verbus.perf.load.Source;
import io.verbus.perf.load.Stack;
import io.verbus.perf.load.Work;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.ReceiveBatch;
import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * Floor for UDP: each message is one datagram, as long as a bus's frame, between two connected
 * sockets. Lost datagrams are not recovered; the number in flight is limited so that the socket
 * buffers can hold them.
 */
public final class DatagramFloor implements Stack {
    private static final int UNDER_WAY = 64;

    private final Work work;
    private final int length;
    private final SendBatch outbound = new SendBatch(1);
    private final ReceiveBatch inbound;
    private DatagramSocket socket;

    public DatagramFloor(Work work) {
        this.work = work;
        length = BitUtil.align(work.length() + Work.HEADER_LENGTH, Work.HEADER_LENGTH);
        inbound = new ReceiveBatch(1, length);
    }

    @Override
    public String version() {
        return "datagrams";
    }

    @Override
    public Initiator initiator(ReplyHandler handler) {
        open(work.initiator(), 1, work.reflector(), 0);
        return new DatagramInitiator(handler);
    }

    @Override
    public Reflector reflector() {
        open(work.reflector(), 0, work.initiator(), 1);
        return new DatagramReflector();
    }

    @Override
    public List<? extends Source> sources() {
        throw new UnsupportedOperationException("the UDP floor does not measure streams");
    }

    @Override
    public Sink sink(Arrivals[] arrivals) {
        throw new UnsupportedOperationException("the UDP floor does not measure streams");
    }

    private void open(String address, int portOffset, String peer, int peerPortOffset) {
        socket = DatagramSocket.open(new InetSocketAddress(address, work.port() + portOffset));
        socket.connect(new InetSocketAddress(peer, work.port() + peerPortOffset));
    }

    @Override
    public void close() {
        CloseHelper.closeAll(socket, outbound, inbound);
    }

    /** Sends to the socket's connected peer. */
    private static final class Outbound {
        private final SocketAddress connected = new SocketAddress();
        private final DatagramSocket socket;
        private final SendBatch batch;

        Outbound(DatagramSocket socket, SendBatch batch) {
            this.socket = socket;
            this.batch = batch;
        }

        boolean send(long address, int length) {
            batch.add(connected, address, length);
            return batch.send(socket.fd()) == 1;
        }
    }

    /** Sends datagrams and receives their echoes. */
    private final class DatagramInitiator implements Initiator {
        private final ReplyHandler handler;
        private final Outbound requests = new Outbound(socket, outbound);
        private final UnsafeBuffer message =
                new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, Work.HEADER_LENGTH));
        private long received;

        DatagramInitiator(ReplyHandler handler) {
            this.handler = handler;
        }

        @Override
        public boolean isConnected() {
            return true; // the reflector's socket is open before this process starts
        }

        @Override
        public boolean send(long sequence, long time) {
            if (sequence - received >= UNDER_WAY) {
                return false;
            }
            message.putLong(0, sequence);
            message.putLong(Long.BYTES, time);
            return requests.send(message.addressOffset(), length);
        }

        @Override
        public int poll() {
            if (inbound.receive(socket) == 0 || inbound.length(0) != length) {
                return 0;
            }
            received++;
            UnsafeBuffer reply = inbound.buffer(0);
            handler.onReply(reply.getLong(0), reply.getLong(Long.BYTES));
            return 1;
        }
    }

    /** Sends each datagram back unchanged. */
    private final class DatagramReflector implements Reflector {
        private final Outbound replies = new Outbound(socket, outbound);

        @Override
        public int poll() {
            if (inbound.receive(socket) == 0 || inbound.length(0) != length) {
                return 0;
            }
            return replies.send(inbound.buffer(0).addressOffset(), length) ? 1 : 0;
        }
    }
}
