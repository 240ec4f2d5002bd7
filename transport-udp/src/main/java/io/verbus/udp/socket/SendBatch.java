// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Datagrams that go out with one system call, straight from where they lie. One thread; allocates
 * nothing but itself.
 *
 * <pre>
 *  mmsghdr[n]  ──name──▶ the receiver's address
 *              ──iov───▶ iovec[n] ──base──▶ the datagram
 * </pre>
 */
public final class SendBatch implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment state = SocketCalls.allocateState(arena);
    private final UnsafeBuffer headers;
    private final UnsafeBuffer vectors;
    private final int capacity;
    private int count;
    private int errno;

    /**
     * @param capacity datagrams in a batch.
     */
    public SendBatch(int capacity) {
        this.capacity = capacity;
        headers = allocate(capacity * LinuxAbi.MultiMessage.SIZE);
        vectors = allocate(capacity * LinuxAbi.IoVec.SIZE);
        for (int i = 0; i < capacity; i++) {
            int at = i * LinuxAbi.MultiMessage.SIZE;
            headers.putLong(
                    at + LinuxAbi.MultiMessage.VECTORS,
                    vectors.addressOffset() + (long) i * LinuxAbi.IoVec.SIZE);
            headers.putLong(at + LinuxAbi.MultiMessage.VECTOR_COUNT, 1);
        }
    }

    private UnsafeBuffer allocate(int bytes) {
        return new UnsafeBuffer(arena.allocate(bytes, Long.BYTES).address(), bytes);
    }

    /** Whether no more datagram fits. */
    public boolean isFull() {
        return count == capacity;
    }

    /** Datagrams that wait to be sent. */
    public int count() {
        return count;
    }

    /**
     * Adds a datagram to a batch that is not full. Its bytes and the receiver's address must stay
     * as they are until the batch is sent.
     *
     * @param receiver of the datagram.
     * @param address of its first byte.
     * @param length in bytes.
     */
    public void add(SocketAddress receiver, long address, int length) {
        int header = count * LinuxAbi.MultiMessage.SIZE;
        headers.putLong(header + LinuxAbi.MultiMessage.NAME, receiver.address());
        headers.putInt(header + LinuxAbi.MultiMessage.NAME_LENGTH, receiver.length());
        int vector = count * LinuxAbi.IoVec.SIZE;
        vectors.putLong(vector + LinuxAbi.IoVec.BASE, address);
        vectors.putLong(vector + LinuxAbi.IoVec.LENGTH, length);
        count++;
    }

    /**
     * Sends what was added and empties the batch.
     *
     * @param fd of the socket.
     * @return how many datagrams, from the first on, the kernel has taken.
     */
    public int send(int fd) {
        int added = count;
        count = 0;
        if (added == 0) {
            return 0;
        }
        int sent = SocketCalls.sendmmsg(fd, headers.addressOffset(), added);
        if (sent > 0) {
            errno = 0;
            return sent;
        }
        return sendAgain(fd, added);
    }

    /** The kernel took nothing: tries once more, to learn why. */
    private int sendAgain(int fd, int added) {
        int sent = SocketCalls.sendmmsg(state, fd, headers.addressOffset(), added);
        errno = sent < 0 ? SocketCalls.errno(state) : 0;
        return Math.max(sent, 0);
    }

    /**
     * Why the last batch was refused: 0 if it was not, or for a reason that passes by itself, which
     * is a full buffer, a signal, or a receiver that was not there for an earlier datagram.
     */
    public int errno() {
        return errno == LinuxAbi.EAGAIN || errno == LinuxAbi.EINTR || errno == LinuxAbi.ECONNREFUSED
                ? 0
                : errno;
    }

    /** The words of an error number. Allocates. */
    public static String errorText(int errno) {
        return SocketCalls.errorText(errno);
    }

    @Override
    public void close() {
        arena.close();
    }
}
