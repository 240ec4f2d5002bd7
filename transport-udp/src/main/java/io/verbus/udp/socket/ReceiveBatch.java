// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.Arena;
import java.util.ServiceLoader;

/**
 * Receives a batch of datagrams with one system call. Used by one thread; allocates only at
 * construction.
 *
 * <p>If no datagram was waiting at a socket, the next call asks for one datagram, which is cheaper;
 * once one has arrived, the next call asks for as many as there are.
 *
 * <pre>
 *  mmsghdr[n]  ──name──▶ address[n] of the sender
 *              ──iov───▶ iovec[n] ──base──▶ buffer[n]
 *              ──control─▶ cmsghdr[…]: the local address and the time, if the socket reports them
 * </pre>
 */
public final class ReceiveBatch implements AutoCloseable {
    private static final int ADDRESS_SIZE = 32;

    /**
     * Space for the kernel's control messages: two times, whether datagrams are joined, and the
     * local address.
     */
    private static final int CONTROL_SIZE =
            LinuxAbi.ControlMessage.SIZE_OF_TIME
                    + LinuxAbi.ControlMessage.SIZE_OF_TIMES
                    + LinuxAbi.ControlMessage.SIZE_OF_INT
                    + LinuxAbi.ControlMessage.SIZE_OF_INFO6;

    /** Null except in tests; a constant, so that compiled code has no check. */
    private static final ServiceLoader.Provider<DatagramLoss> LOSSES =
            ServiceLoader.load(DatagramLoss.class, DatagramLoss.class.getClassLoader()).stream()
                    .findFirst()
                    .orElse(null);

    private final DatagramLoss loss = LOSSES == null ? null : LOSSES.get();
    private final Arena arena = Arena.ofShared();
    private final int capacity;
    private final UnsafeBuffer headers;
    private final UnsafeBuffer addresses;
    private final UnsafeBuffer controls;
    private final UnsafeBuffer[] buffers;
    private final SocketAddress source = new SocketAddress();
    private final int maxLength;
    private int used;

    /**
     * Space for control messages that all headers refer to; 0 unless the last socket reports local
     * addresses or times.
     */
    private int controlSize;

    private long calls;
    private long received;
    private long receivedBytes;

    /**
     * @param capacity number of datagrams in a batch.
     * @param maxLength maximum length of a datagram; longer ones are truncated.
     */
    public ReceiveBatch(int capacity, int maxLength) {
        this.capacity = capacity;
        this.maxLength = maxLength;
        headers = allocate(capacity * LinuxAbi.MultiMessage.SIZE);
        addresses = allocate(capacity * ADDRESS_SIZE);
        controls = allocate(capacity * CONTROL_SIZE);
        UnsafeBuffer vectors = allocate(capacity * LinuxAbi.IoVec.SIZE);
        buffers = new UnsafeBuffer[capacity];
        for (int i = 0; i < capacity; i++) {
            buffers[i] = allocate(maxLength);
            int vector = i * LinuxAbi.IoVec.SIZE;
            vectors.putLong(vector + LinuxAbi.IoVec.BASE, buffers[i].addressOffset());
            vectors.putLong(vector + LinuxAbi.IoVec.LENGTH, maxLength);
            int header = i * LinuxAbi.MultiMessage.SIZE;
            headers.putLong(
                    header + LinuxAbi.MultiMessage.NAME,
                    addresses.addressOffset() + (long) i * ADDRESS_SIZE);
            headers.putInt(header + LinuxAbi.MultiMessage.NAME_LENGTH, ADDRESS_SIZE);
            headers.putLong(
                    header + LinuxAbi.MultiMessage.VECTORS, vectors.addressOffset() + vector);
            headers.putLong(header + LinuxAbi.MultiMessage.VECTOR_COUNT, 1);
            headers.putLong(
                    header + LinuxAbi.MultiMessage.CONTROL,
                    controls.addressOffset() + (long) i * CONTROL_SIZE);
        }
    }

    private UnsafeBuffer allocate(int bytes) {
        return new UnsafeBuffer(arena.allocate(bytes, 64).address(), bytes);
    }

    /**
     * Receives the waiting datagrams.
     *
     * @param socket socket to receive from.
     * @return number of datagrams; 0 if there is none.
     */
    public int receive(DatagramSocket socket) {
        calls++;
        int count = socket.isBusy || socket.tellsMore() ? receiveAll(socket) : receiveOne(socket);
        received += count;
        for (int i = 0; i < count; i++) {
            receivedBytes += length(i);
        }
        return count;
    }

    private int receiveOne(DatagramSocket socket) {
        headers.putInt(LinuxAbi.MultiMessage.NAME_LENGTH, ADDRESS_SIZE);
        long length =
                SocketCalls.recvfrom(
                        socket.fd(),
                        buffers[0].addressOffset(),
                        maxLength,
                        addresses.addressOffset(),
                        headers.addressOffset() + LinuxAbi.MultiMessage.NAME_LENGTH);
        if (length < 0) {
            return 0;
        }
        headers.putInt(LinuxAbi.MultiMessage.LENGTH, (int) length);
        headers.putLong(LinuxAbi.MultiMessage.CONTROL_LENGTH, 0);
        used = Math.max(used, 1);
        socket.isBusy = true;
        return 1;
    }

    private int receiveAll(DatagramSocket socket) {
        int size = socket.tellsMore() ? CONTROL_SIZE : 0;
        int changed = size == controlSize ? used : capacity;
        for (int i = 0; i < changed; i++) {
            int header = i * LinuxAbi.MultiMessage.SIZE;
            headers.putInt(header + LinuxAbi.MultiMessage.NAME_LENGTH, ADDRESS_SIZE);
            headers.putLong(header + LinuxAbi.MultiMessage.CONTROL_LENGTH, size);
        }
        controlSize = size;
        used = 0;
        int count = SocketCalls.recvmmsg(socket.fd(), headers.addressOffset(), capacity);
        socket.isBusy = count > 1;
        used = Math.max(count, 0);
        return used;
    }

    /** Returns the number of system calls. */
    public long calls() {
        return calls;
    }

    /** Returns the number of datagrams received; those joined by the kernel count as one. */
    public long received() {
        return received;
    }

    /** Returns the number of bytes received. */
    public long receivedBytes() {
        return receivedBytes;
    }

    /** Returns whether to drop a datagram of the last batch; called once for each. */
    public boolean isLost(int index) {
        return LOSSES != null && loss.isLost(buffer(index), length(index));
    }

    /** Returns the length of a datagram of the last batch. */
    public int length(int index) {
        return headers.getInt(index * LinuxAbi.MultiMessage.SIZE + LinuxAbi.MultiMessage.LENGTH);
    }

    /** Returns a datagram of the last batch, valid until the next batch. */
    public UnsafeBuffer buffer(int index) {
        UnsafeBuffer buffer = buffers[index];
        buffer.wrap(buffer.addressOffset(), length(index));
        return buffer;
    }

    /** Returns the source of a datagram of the last batch, valid until the next call. */
    public SocketAddress source(int index) {
        int header = index * LinuxAbi.MultiMessage.SIZE;
        source.read(
                addresses,
                index * ADDRESS_SIZE,
                headers.getInt(header + LinuxAbi.MultiMessage.NAME_LENGTH));
        int size = (int) headers.getLong(header + LinuxAbi.MultiMessage.CONTROL_LENGTH);
        if (size > 0) {
            source.readInfo(controls, index * CONTROL_SIZE, size);
        }
        return source;
    }

    /**
     * Reads when a datagram of the last batch was received.
     *
     * @param index datagram of a socket that {@linkplain DatagramSocket#tellTime reports} times.
     * @param time destination.
     */
    public void readTime(int index, ReceiptTime time) {
        int size =
                (int)
                        headers.getLong(
                                index * LinuxAbi.MultiMessage.SIZE
                                        + LinuxAbi.MultiMessage.CONTROL_LENGTH);
        time.read(controls, index * CONTROL_SIZE, size);
    }

    @Override
    public void close() {
        arena.close();
    }
}
