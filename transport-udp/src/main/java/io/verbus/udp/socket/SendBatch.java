// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Sends a batch of datagrams with one system call and without copying. Used by one thread;
 * allocates only at construction.
 *
 * <pre>
 *  mmsghdr[n]  ──name──▶ the receiver's address
 *              ──iov───▶ iovec[n] ──base──▶ the datagram, or several of one length
 *              ──control─▶ cmsghdr[…]: the length of each, if there are several;
 *                                      the local address, if one is specified
 * </pre>
 *
 * <p>If the caller allows it, contiguous datagrams to one receiver that are of equal length, except
 * for a shorter last one, pass through the kernel as one, and are segmented at its lower end.
 */
public final class SendBatch implements AutoCloseable {
    /** Maximum number of segments, {@code UDP_MAX_SEGMENTS}: 64 before Linux 6.9. */
    private static final int MAX_SEGMENTS = 64;

    /** Maximum length of a datagram over IPv4. */
    private static final int MAX_LENGTH = 65_507;

    /**
     * Offset of the control message with the local address, after the one with the segment length.
     */
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

    /** Number of messages; each is one datagram, or several joined. */
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
     * @param capacity number of datagrams in a batch.
     */
    public SendBatch(int capacity) {
        this(capacity, capacity);
    }

    /**
     * @param capacity number of messages in a batch.
     * @param maxDatagrams number of datagrams in a batch, if they are joined.
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
     * Sets whether datagrams added to an empty batch may be joined.
     *
     * @param mayJoin false if the kernel cannot segment them ({@link DatagramSocket#canSegment}),
     *     or has refused to on this route.
     */
    public void joins(boolean mayJoin) {
        joins = mayJoin;
    }

    /** Returns whether the batch is full. */
    public boolean isFull() {
        return count == capacity || datagrams == maxDatagrams;
    }

    /** Returns the number of datagrams to send. */
    public int count() {
        return datagrams;
    }

    /**
     * Adds a datagram to a batch that is not full. Its bytes and the receiver's address must not
     * change until the batch is sent.
     *
     * @param receiver address of the receiver.
     * @param address memory address of the datagram.
     * @param length length in bytes.
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

    /**
     * Sets the source address of a staged message to the local address at which its receiver is
     * answered.
     */
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
     * Sends and empties the batch.
     *
     * @param fd file descriptor of the socket.
     * @return number of datagrams, counted from the first, that the kernel accepted.
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

    /** Sends one datagram with a cheaper call. */
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
     * Sends the batch to another receiver, and keeps it.
     *
     * @param fd file descriptor of the socket.
     * @param receiver receiver of every datagram of the batch.
     * @return number of datagrams, counted from the first, that the kernel accepted.
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

    /** Retries after the kernel accepted nothing, to get the errno. */
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
     * Returns whether the last batch was rejected because the kernel cannot segment joined
     * datagrams: they are longer than the route's MTU, or the device has no checksum offload.
     */
    public boolean isJoiningRefused() {
        return segments[0] > 1
                && (errno == LinuxAbi.EINVAL
                        || errno == LinuxAbi.EMSGSIZE
                        || errno == LinuxAbi.EIO);
    }

    /**
     * Returns the errno with which the last batch was rejected; 0 if it was not, or for a transient
     * reason: a full buffer, a signal, or a receiver that refused an earlier datagram.
     */
    public int errno() {
        return errno == LinuxAbi.EAGAIN || errno == LinuxAbi.EINTR || errno == LinuxAbi.ECONNREFUSED
                ? 0
                : errno;
    }

    /** Returns the number of system calls. */
    public long calls() {
        return calls;
    }

    /** Returns the number of datagrams that the kernel accepted. */
    public long sentDatagrams() {
        return sentDatagrams;
    }

    /** Returns the number of accepted datagrams that were joined with others. */
    public long sentJoined() {
        return sentJoined;
    }

    /** Returns the number of bytes that the kernel accepted. */
    public long sentBytes() {
        return sentBytes;
    }

    /** Returns the text of an errno. Allocates. */
    public static String errorText(int errno) {
        return SocketCalls.errorText(errno);
    }

    @Override
    public void close() {
        arena.close();
    }
}
