// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.Arena;

/**
 * Datagrams that come in with one system call. One thread; allocates nothing but itself.
 *
 * <pre>
 *  mmsghdr[n]  ──name──▶ address[n], the sender's
 *              ──iov───▶ iovec[n] ──base──▶ buffer[n]
 * </pre>
 */
public final class ReceiveBatch implements AutoCloseable {
    private static final int ADDRESS_SIZE = 32;

    private final Arena arena = Arena.ofShared();
    private final int capacity;
    private final UnsafeBuffer headers;
    private final UnsafeBuffer addresses;
    private final UnsafeBuffer[] buffers;
    private final SocketAddress source = new SocketAddress();
    private int used;

    /**
     * @param capacity datagrams in a batch.
     * @param maxLength bytes of a datagram: what is longer is cut off.
     */
    public ReceiveBatch(int capacity, int maxLength) {
        this.capacity = capacity;
        headers = allocate(capacity * LinuxAbi.MultiMessage.SIZE);
        addresses = allocate(capacity * ADDRESS_SIZE);
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
        }
    }

    private UnsafeBuffer allocate(int bytes) {
        return new UnsafeBuffer(arena.allocate(bytes, 64).address(), bytes);
    }

    /**
     * Receives what is there.
     *
     * @param fd of the socket.
     * @return how many datagrams; 0 if there is none.
     */
    public int receive(int fd) {
        for (int i = 0; i < used; i++) {
            headers.putInt(
                    i * LinuxAbi.MultiMessage.SIZE + LinuxAbi.MultiMessage.NAME_LENGTH,
                    ADDRESS_SIZE);
        }
        used = Math.max(SocketCalls.recvmmsg(fd, headers.addressOffset(), capacity), 0);
        return used;
    }

    /** Bytes of a datagram of the last batch. */
    public int length(int index) {
        return headers.getInt(index * LinuxAbi.MultiMessage.SIZE + LinuxAbi.MultiMessage.LENGTH);
    }

    /** A datagram of the last batch: valid up to its length, until the next batch. */
    public UnsafeBuffer buffer(int index) {
        return buffers[index];
    }

    /** Where a datagram of the last batch came from: valid until this is called again. */
    public SocketAddress source(int index) {
        source.read(
                addresses,
                index * ADDRESS_SIZE,
                headers.getInt(
                        index * LinuxAbi.MultiMessage.SIZE + LinuxAbi.MultiMessage.NAME_LENGTH));
        return source;
    }

    @Override
    public void close() {
        arena.close();
    }
}
