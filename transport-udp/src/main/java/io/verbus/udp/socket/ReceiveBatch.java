// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.Arena;
import java.util.ServiceLoader;

/**
 * Datagrams that come in with one system call. One thread; allocates nothing but itself.
 *
 * <p>A socket at which nothing waited is asked for one datagram, which is the cheaper call; where
 * one has come, the next call asks for as many as there are.
 *
 * <pre>
 *  mmsghdr[n]  ──name──▶ address[n], the sender's
 *              ──iov───▶ iovec[n] ──base──▶ buffer[n]
 *              ──control─▶ cmsghdr[…]: where it was sent to, if the socket tells
 * </pre>
 */
public final class ReceiveBatch implements AutoCloseable {
    private static final int ADDRESS_SIZE = 32;

    /** Room for what the kernel says of a datagram: whether it is joined, where it was sent to. */
    private static final int CONTROL_SIZE = 64;

    /** Null but in tests: a constant, so that compiled code asks nothing. */
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

    /** Room for control messages that all headers name: none unless the last socket tells. */
    private int controlSize;

    private long calls;
    private long received;
    private long receivedBytes;

    /**
     * @param capacity datagrams in a batch.
     * @param maxLength bytes of a datagram: what is longer is cut off.
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
     * Receives what is there.
     *
     * @param socket to receive from.
     * @return how many datagrams; 0 if there is none.
     */
    public int receive(DatagramSocket socket) {
        calls++;
        int count = socket.isBusy || socket.tellsLocal() ? receiveAll(socket) : receiveOne(socket);
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
        int size = socket.tellsLocal() ? CONTROL_SIZE : 0;
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

    /** System calls that were made. */
    public long calls() {
        return calls;
    }

    /** Datagrams that were received; those that the kernel has joined count as one. */
    public long received() {
        return received;
    }

    /** Bytes of all datagrams that were received. */
    public long receivedBytes() {
        return receivedBytes;
    }

    /** Whether a datagram of the last batch is to be passed over; asked once for each. */
    public boolean isLost(int index) {
        return LOSSES != null && loss.isLost(buffer(index), length(index));
    }

    /** Bytes of a datagram of the last batch. */
    public int length(int index) {
        return headers.getInt(index * LinuxAbi.MultiMessage.SIZE + LinuxAbi.MultiMessage.LENGTH);
    }

    /** A datagram of the last batch, nothing before or behind it: valid until the next batch. */
    public UnsafeBuffer buffer(int index) {
        UnsafeBuffer buffer = buffers[index];
        buffer.wrap(buffer.addressOffset(), length(index));
        return buffer;
    }

    /** Where a datagram of the last batch came from: valid until this is called again. */
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

    @Override
    public void close() {
        arena.close();
    }
}
