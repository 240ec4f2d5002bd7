// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.Position;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Reads the frames of a log in order, for one subscriber. One thread, but for {@link #close}.
 *
 * <p>What is checked of a frame's first word, and what is used of it, come from one load, with
 * acquire. The subscriber's position is published once a poll, with release, also when a handler
 * throws: behind all frames that were delivered, the last one included. A poll ends at the end of a
 * term at the latest. In a fast stream it may end, and wait, some KiB in front of the tail, see
 * {@link FollowingDistance}; not in a replica, whose metadata have no tail.
 *
 * <p>Another thread may close the reader. Nothing is delivered from then on but what the handler
 * has been called with already, and the subscriber's position stands still, as the counter may
 * become another's. The log stays mapped as long as {@link #isDelivering}.
 *
 * <p>A subscriber that does not hold the stream back may be let go while its thread stands still,
 * and the log be reused. With a {@link SubscriberLease} it finds that before it believes a frame;
 * nothing is delivered from then on.
 *
 * <p>No method allocates, but to report an invalid frame.
 */
public final class LogReader {
    private static final long UNBOUNDED = Long.MAX_VALUE;
    private static final VarHandle DELIVERING;

    static {
        try {
            DELIVERING =
                    MethodHandles.lookup()
                            .findVarHandle(LogReader.class, "isDelivering", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LogBuffers log;
    private final Position subscriberPosition;
    private final boolean isReplica;

    /** Null where the subscriber is never let go. */
    private final SubscriberLease lease;

    private final Header header;
    private final FollowingDistance distance;
    private final int termLength;
    private UnsafeBuffer term;
    private long address;
    private int partition;
    private long termPosition;
    private int termOffset;

    // Written by the reading thread, with release; read by the thread that unmaps the log.
    private boolean isDelivering;

    // Written once by the closing thread; read before each delivery.
    private volatile boolean isClosed;

    /**
     * Begins where the subscriber's position stands.
     *
     * @param log to read; may be mapped read-only.
     * @param subscriberPosition the subscriber's counter: written here, read by the driver.
     * @param isReplica whether the log is the image of a remote one. There a negative frame length
     *     is an error; in a publication's own log it is a claim being filled.
     * @throws BusException if no frame can begin where the position stands.
     */
    public LogReader(LogBuffers log, Position subscriberPosition, boolean isReplica) {
        this(log, subscriberPosition, isReplica, null);
    }

    /**
     * The same for a subscriber that may be let go.
     *
     * @param lease of the subscriber, or null if it is never let go.
     */
    public LogReader(
            LogBuffers log, Position subscriberPosition, boolean isReplica, SubscriberLease lease) {
        this.log = log;
        this.lease = lease;
        this.subscriberPosition = subscriberPosition;
        this.isReplica = isReplica;
        header = new Header(log.spec());
        termLength = log.spec().termLength();
        long position = checked(subscriberPosition.get());
        termOffset = LogLayout.termOffset(position, termLength);
        termPosition = position - termOffset;
        partition = LogLayout.partition(position, LogLayout.positionBitsToShift(termLength));
        term = log.term(partition);
        address = log.termAddress(partition);
        distance = new FollowingDistance(log, position, System.nanoTime());
    }

    /** What a counters file holds is not trusted: all reads of the term begin from here. */
    private long checked(long position) {
        if (position < 0
                || position > LogLayout.maxPosition(termLength)
                || position % FrameHeader.ALIGNMENT != 0) {
            throw new BusException(
                    "no frame can begin at the subscriber's position "
                            + position
                            + ", as positions are multiples of "
                            + FrameHeader.ALIGNMENT
                            + " from 0 to "
                            + LogLayout.maxPosition(termLength)
                            + ": the counters file is damaged, restart the media driver");
        }
        return position;
    }

    /** Position behind what was delivered. The reading thread's. */
    public long position() {
        return termPosition + termOffset;
    }

    /** Position of the term that is read. The reading thread's. */
    long termPosition() {
        return termPosition;
    }

    /**
     * Goes on behind frames that were consumed otherwise, and publishes the position. The reading
     * thread's.
     *
     * @param position where a frame begins, in the term that is read, or its end.
     */
    public void moveTo(long position) {
        termOffset = (int) (position - termPosition);
        publish();
    }

    /**
     * Delivers fragments.
     *
     * @param handler to call for each.
     * @param fragmentLimit how many to deliver at most.
     * @return how many were delivered.
     * @throws InvalidFrameException if the log holds what no appender writes; the position stays in
     *     front of it.
     */
    public int poll(FragmentHandler handler, int fragmentLimit) {
        return isSomethingThere() ? deliver(handler, fragmentLimit, UNBOUNDED) : 0;
    }

    /**
     * Delivers fragments that begin before a position.
     *
     * @param handler to call for each.
     * @param bound position at which no fragment is delivered any more.
     * @param fragmentLimit how many to deliver at most.
     * @return how many were delivered.
     * @throws InvalidFrameException as {@link #poll}.
     */
    public int boundedPoll(FragmentHandler handler, long bound, int fragmentLimit) {
        return position() < bound && isSomethingThere()
                ? deliver(handler, fragmentLimit, bound)
                : 0;
    }

    /**
     * Looked for apart from the delivery: a subscriber that spins finds nothing a hundred times for
     * each time that it finds something, and what comes then would be compiled as what hardly ever
     * happens. A handler that polls behind the last frame of a term sees the word behind the term,
     * which is the log's, too; the delivery then finds that the term is over.
     */
    private boolean isSomethingThere() {
        return UnsafeApi.getLongAcquire(null, address + termOffset) != 0;
    }

    private int deliver(FragmentHandler handler, int fragmentLimit, long bound) {
        UnsafeBuffer term = this.term;
        int start = termOffset;
        int offset = start;
        int fragments = 0;
        boolean isNested = beginDelivery();
        try {
            int end = end(start, bound);
            while (fragments < fragmentLimit && offset < end && !isClosed) {
                long word = UnsafeApi.getLongAcquire(null, address + offset);
                if (lease != null && lease.isOver()) {
                    break;
                }
                if (!FrameCheck.isData(word, offset, termLength)) {
                    if (isOpen(word)) {
                        break;
                    }
                    advance(word, offset);
                    offset = termOffset;
                    continue;
                }
                int length = FrameHeader.length(word);
                int next = offset + FrameHeader.align(length);
                termOffset = next; // though the handler may throw
                fragments++;
                header.wrap(term, offset, word, termPosition + offset);
                handler.onFragment(
                        term, offset + FrameHeader.LENGTH, length - FrameHeader.LENGTH, header);
                if (termOffset != next) {
                    break; // the handler has polled, too
                }
                offset = next;
            }
        } finally {
            if (termOffset != start) {
                publish();
            }
            endDelivery(isNested);
        }
        return fragments;
    }

    /**
     * Delivers fragments to a handler that says how to go on.
     *
     * @param handler to call for each.
     * @param fragmentLimit how many to deliver at most.
     * @return how many were delivered, aborted ones not counted.
     * @throws InvalidFrameException if the log holds what no appender writes; the position stays in
     *     front of it.
     */
    public int controlledPoll(ControlledFragmentHandler handler, int fragmentLimit) {
        return isSomethingThere() ? deliverControlled(handler, fragmentLimit, UNBOUNDED) : 0;
    }

    /**
     * Delivers fragments that begin before a position to a handler that says how to go on.
     *
     * @param handler to call for each.
     * @param bound position at which no fragment is delivered any more.
     * @param fragmentLimit how many to deliver at most.
     * @return how many were delivered, aborted ones not counted.
     * @throws InvalidFrameException as {@link #controlledPoll}.
     */
    public int boundedControlledPoll(
            ControlledFragmentHandler handler, long bound, int fragmentLimit) {
        return position() < bound && isSomethingThere()
                ? deliverControlled(handler, fragmentLimit, bound)
                : 0;
    }

    private int deliverControlled(
            ControlledFragmentHandler handler, int fragmentLimit, long bound) {
        int published = termOffset;
        int fragments = 0;
        boolean isNested = beginDelivery();
        try {
            int end = end(published, bound);
            while (fragments < fragmentLimit && termOffset < end && !isClosed) {
                int offset = termOffset;
                long word = UnsafeApi.getLongAcquire(null, address + offset);
                if (lease != null && lease.isOver()) {
                    break;
                }
                if (!FrameCheck.isData(word, offset, termLength)) {
                    if (isOpen(word)) {
                        break;
                    }
                    advance(word, offset);
                    continue;
                }
                int length = FrameHeader.length(word);
                termOffset = offset + FrameHeader.align(length);
                header.wrap(term, offset, word, termPosition + offset);
                ControlledFragmentHandler.Action action =
                        handler.onFragment(
                                term,
                                offset + FrameHeader.LENGTH,
                                length - FrameHeader.LENGTH,
                                header);
                if (action == ControlledFragmentHandler.Action.ABORT) {
                    termOffset = offset;
                    break;
                }
                fragments++;
                if (action == ControlledFragmentHandler.Action.BREAK) {
                    break;
                }
                if (action == ControlledFragmentHandler.Action.COMMIT && !isClosed) {
                    write(termPosition + termOffset);
                    published = termOffset;
                } else if (action == null) {
                    throw new IllegalStateException(
                            "the controlled fragment handler has returned null: return one of"
                                    + " ABORT, BREAK, COMMIT and CONTINUE");
                }
            }
        } finally {
            if (termOffset != published || termOffset == termLength) {
                publish();
            }
            endDelivery(isNested);
        }
        return fragments;
    }

    /**
     * Nothing is delivered from now on. Any thread.
     *
     * <p>A delivery that another thread is about to begin may not be seen yet by {@link
     * #isDelivering}, which is therefore for a thread that has waited since.
     */
    public void close() {
        isClosed = true;
        header.closeStream();
    }

    /** Whether the reader was closed. Any thread. */
    public boolean isClosed() {
        return isClosed;
    }

    /** Whether a handler may be reading the log, though the reader was closed. Any thread. */
    public boolean isDelivering() {
        return (boolean) DELIVERING.getAcquire(this);
    }

    /** Returns whether a handler polls. */
    boolean beginDelivery() {
        boolean isNested = isDelivering;
        DELIVERING.setRelease(this, true);
        return isNested;
    }

    void endDelivery(boolean isNested) {
        DELIVERING.setRelease(this, isNested);
    }

    /** Offset from which on no frame is read in this poll: the end of the term, mostly. */
    private int end(int offset, long bound) {
        int end = distance.isKept() ? distance.awaitEnd(termPosition, offset) : termLength;
        return (int) Math.min(end, bound - termPosition);
    }

    /**
     * Whether nothing can be read from a word on, which was loaded with acquire: the frontier is
     * reached, or the subscriber was let go.
     */
    boolean isEnd(long word) {
        return isOpen(word) || lease != null && lease.isOver();
    }

    /** Whether the frontier is reached: nothing there yet, or a claim that is being filled. */
    private boolean isOpen(long word) {
        return word == 0 || (FrameHeader.length(word) < 0 && !isReplica);
    }

    /** Goes behind padding, and refuses what is no frame. */
    private void advance(long word, int offset) {
        if (!FrameCheck.isValid(word, offset, termLength)) {
            throw FrameCheck.invalid(word, termPosition + offset, offset, termLength);
        }
        termOffset = offset + FrameHeader.align(FrameHeader.length(word));
    }

    /** Leaves the counter alone that the driver has written to. */
    private void write(long position) {
        if (lease == null) {
            subscriberPosition.setRelease(position);
        } else {
            lease.publish(position);
        }
    }

    private void publish() {
        long position = termPosition + termOffset;
        if (isClosed) {
            return;
        }
        write(position);
        if (distance.isDue(position) && !isReplica) {
            distance.measure(position, System.nanoTime());
        }
        if (termOffset == termLength) {
            partition = partition + 1 == LogLayout.PARTITIONS ? 0 : partition + 1;
            term = log.term(partition);
            address = log.termAddress(partition);
            termPosition += termLength;
            termOffset = 0;
        }
    }
}
