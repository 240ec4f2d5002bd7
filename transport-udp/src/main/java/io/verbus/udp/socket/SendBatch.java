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
 *              ──iov───▶ iovec[n] ──base──▶ the datagram, or several of one length
 *              ──control─▶ cmsghdr[…]: the length of each, where there are several;
 *                                      the address that is sent from, where one is to be
 * </pre>
 *
 * <p>Where the caller lets it, datagrams to one receiver that lie one behind the other and are of
 * one length, the last maybe shorter, pass the kernel as one, which cuts them apart last of all.
 */
public final class SendBatch implements AutoCloseable {
    /** What the kernel cuts apart at most, {@code UDP_MAX_SEGMENTS}: 64 before Linux 6.9. */
    private static final int MAX_SEGMENTS = 64;

    /** Longest datagram over IPv4. */
    private static final int MAX_LENGTH = 65_507;

    /** Where the address of a message's control messages lies, behind the length of each. */
    private static final int INFO = LinuxAbi.ControlMessage.SIZE_OF_SHORT;

    private static final int CONTROL_SIZE = INFO + LinuxAbi.ControlMessage.SIZE_OF_INFO6;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment state = SocketCalls.allocateState(arena);
    private final UnsafeBuffer headers;
    private final UnsafeBuffer vectors;
    private final UnsafeBuffer controls;
    private final int[] segments;
    private final int capacity;
    private final int maxDatagrams;
    private boolean joins;

    /** Messages: each is one datagram, or several joined. */
    private int count;

    private int datagrams;
    private long nextAddress;
    private int segmentLength;
    private int joinedLength;
    private boolean isClosedRun;
    private int errno;
    private long calls;
    private long sentDatagrams;
    private long sentJoined;
    private long sentBytes;

    /**
     * @param capacity datagrams in a batch.
     */
    public SendBatch(int capacity) {
        this(capacity, capacity);
    }

    /**
     * @param capacity datagrams in a batch where none are joined.
     * @param maxDatagrams where they are.
     */
    public SendBatch(int capacity, int maxDatagrams) {
        this.capacity = capacity;
        this.maxDatagrams = maxDatagrams;
        segments = new int[capacity];
        headers = allocate(capacity * LinuxAbi.MultiMessage.SIZE);
        vectors = allocate(capacity * LinuxAbi.IoVec.SIZE);
        controls = allocate(capacity * CONTROL_SIZE);
        for (int i = 0; i < capacity; i++) {
            int at = i * LinuxAbi.MultiMessage.SIZE;
            headers.putLong(
                    at + LinuxAbi.MultiMessage.VECTORS,
                    vectors.addressOffset() + (long) i * LinuxAbi.IoVec.SIZE);
            headers.putLong(at + LinuxAbi.MultiMessage.VECTOR_COUNT, 1);
            int control = i * CONTROL_SIZE;
            controls.putLong(
                    control + LinuxAbi.ControlMessage.LENGTH,
                    LinuxAbi.ControlMessage.LENGTH_OF_SHORT);
            controls.putInt(control + LinuxAbi.ControlMessage.LEVEL, LinuxAbi.SOL_UDP);
            controls.putInt(control + LinuxAbi.ControlMessage.TYPE, LinuxAbi.UDP_SEGMENT);
        }
    }

    private UnsafeBuffer allocate(int bytes) {
        return new UnsafeBuffer(arena.allocate(bytes, Long.BYTES).address(), bytes);
    }

    /**
     * Says whether datagrams that are added to an empty batch may be joined.
     *
     * @param mayJoin false where the kernel cannot cut them apart ({@link
     *     DatagramSocket#canSegment}), or has refused to on this route.
     */
    public void joins(boolean mayJoin) {
        joins = mayJoin;
    }

    /** Whether no more datagram fits. */
    public boolean isFull() {
        return count == capacity || datagrams == maxDatagrams;
    }

    /** Datagrams that wait to be sent. */
    public int count() {
        return datagrams;
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
        datagrams++;
        if (joins && isNext(receiver, address, length)) {
            join(length);
        } else {
            begin(receiver, address, length);
        }
        nextAddress = address + length;
    }

    private boolean isNext(SocketAddress receiver, long address, int length) {
        int last = count - 1;
        return last >= 0
                && address == nextAddress
                && length <= segmentLength
                && !isClosedRun
                && joinedLength + length <= MAX_LENGTH
                && segments[last] < MAX_SEGMENTS
                && headers.getLong(last * LinuxAbi.MultiMessage.SIZE + LinuxAbi.MultiMessage.NAME)
                        == receiver.address();
    }

    private void begin(SocketAddress receiver, long address, int length) {
        int header = count * LinuxAbi.MultiMessage.SIZE;
        headers.putLong(header + LinuxAbi.MultiMessage.NAME, receiver.address());
        headers.putInt(header + LinuxAbi.MultiMessage.NAME_LENGTH, receiver.length());
        int vector = count * LinuxAbi.IoVec.SIZE;
        vectors.putLong(vector + LinuxAbi.IoVec.BASE, address);
        vectors.putLong(vector + LinuxAbi.IoVec.LENGTH, length);
        segments[count] = 1;
        control(count, receiver);
        segmentLength = length;
        joinedLength = length;
        isClosedRun = false;
        count++;
    }

    private void join(int length) {
        int last = count - 1;
        joinedLength += length;
        vectors.putLong(last * LinuxAbi.IoVec.SIZE + LinuxAbi.IoVec.LENGTH, joinedLength);
        if (segments[last]++ == 1) {
            int header = last * LinuxAbi.MultiMessage.SIZE;
            int control = last * CONTROL_SIZE;
            controls.putShort(control + LinuxAbi.ControlMessage.VALUE, (short) segmentLength);
            headers.putLong(
                    header + LinuxAbi.MultiMessage.CONTROL, controls.addressOffset() + control);
            headers.putLong(
                    header + LinuxAbi.MultiMessage.CONTROL_LENGTH,
                    INFO + headers.getLong(header + LinuxAbi.MultiMessage.CONTROL_LENGTH));
        }
        isClosedRun = length < segmentLength;
    }

    /** Has a message to a receiver, staged already, leave from where the receiver is answered. */
    private void control(int message, SocketAddress receiver) {
        int header = message * LinuxAbi.MultiMessage.SIZE;
        int control = message * CONTROL_SIZE;
        int size = receiver.infoSize();
        if (size > 0) {
            receiver.writeInfo(controls, control + INFO);
        }
        boolean isJoined = segments[message] > 1;
        headers.putLong(
                header + LinuxAbi.MultiMessage.CONTROL,
                controls.addressOffset() + control + (isJoined ? 0 : INFO));
        headers.putLong(
                header + LinuxAbi.MultiMessage.CONTROL_LENGTH, isJoined ? INFO + size : size);
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
        datagrams = 0;
        if (added == 0) {
            return 0;
        }
        calls++;
        int sent =
                added == 1 && headers.getLong(LinuxAbi.MultiMessage.CONTROL_LENGTH) == 0
                        ? sendOne(fd)
                        : SocketCalls.sendmmsg(fd, headers.addressOffset(), added);
        if (sent > 0) {
            errno = 0;
            return sentBy(sent);
        }
        return sendAgain(fd, added);
    }

    /** The cheaper call for one datagram. */
    private int sendOne(int fd) {
        return SocketCalls.sendto(
                                fd,
                                vectors.getLong(LinuxAbi.IoVec.BASE),
                                vectors.getLong(LinuxAbi.IoVec.LENGTH),
                                headers.getLong(LinuxAbi.MultiMessage.NAME),
                                headers.getInt(LinuxAbi.MultiMessage.NAME_LENGTH))
                        < 0
                ? -1
                : 1;
    }

    /**
     * Sends what was added to one more receiver, and keeps it.
     *
     * @param fd of the socket.
     * @param receiver of every datagram of the batch.
     * @return how many datagrams, from the first on, the kernel has taken.
     */
    public int sendTo(int fd, SocketAddress receiver) {
        int added = count;
        int addedDatagrams = datagrams;
        for (int i = 0; i < added; i++) {
            int header = i * LinuxAbi.MultiMessage.SIZE;
            headers.putLong(header + LinuxAbi.MultiMessage.NAME, receiver.address());
            headers.putInt(header + LinuxAbi.MultiMessage.NAME_LENGTH, receiver.length());
            control(i, receiver);
        }
        int sent = send(fd);
        count = added;
        datagrams = addedDatagrams;
        return sent;
    }

    /** Empties the batch. */
    public void clear() {
        count = 0;
        datagrams = 0;
    }

    /** The kernel took nothing: tries once more, to learn why. */
    private int sendAgain(int fd, int added) {
        calls++;
        int sent = SocketCalls.sendmmsg(state, fd, headers.addressOffset(), added);
        errno = sent < 0 ? SocketCalls.errno(state) : 0;
        return sentBy(Math.max(sent, 0));
    }

    private int sentBy(int messages) {
        int sent = 0;
        for (int i = 0; i < messages; i++) {
            sent += segments[i];
            sentBytes += vectors.getLong(i * LinuxAbi.IoVec.SIZE + LinuxAbi.IoVec.LENGTH);
            if (segments[i] > 1) {
                sentJoined += segments[i];
            }
        }
        sentDatagrams += sent;
        return sent;
    }

    /**
     * Whether the last batch was refused because the kernel cannot cut apart what was joined:
     * datagrams longer than the route takes, or a device without checksums.
     */
    public boolean isJoiningRefused() {
        return segments[0] > 1
                && (errno == LinuxAbi.EINVAL
                        || errno == LinuxAbi.EMSGSIZE
                        || errno == LinuxAbi.EIO);
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

    /** System calls that were made. */
    public long calls() {
        return calls;
    }

    /** Datagrams that the kernel took. */
    public long sentDatagrams() {
        return sentDatagrams;
    }

    /** Those of them that were joined with others. */
    public long sentJoined() {
        return sentJoined;
    }

    /** Bytes of all that the kernel took. */
    public long sentBytes() {
        return sentBytes;
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
