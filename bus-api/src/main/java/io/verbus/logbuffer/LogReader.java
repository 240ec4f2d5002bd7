// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.Position;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Reads the frames of a log in order, for one subscriber. Not thread-safe, except for {@link
 * #close}.
 *
 * <p>A frame's first word is loaded once, with acquire, and only the loaded value is checked and
 * used. The subscriber's position, which is after all delivered frames, is published once per poll,
 * with release, even if a handler throws. A poll ends at the end of a term at the latest. In a fast
 * stream, a poll may wait, and may end a few KiB before the tail; see {@link FollowingDistance}. A
 * poll never waits in a replica, whose metadata has no tail.
 *
 * <p>Another thread may close the reader. From then on nothing more is delivered, although a
 * handler call may still be in progress. The subscriber's position no longer changes, because its
 * counter may be reused. The log stays mapped while {@link #isDelivering}.
 *
 * <p>The driver may detach an untethered subscriber whose thread is suspended, and reuse the log. A
 * {@link SubscriberLease} detects this before a frame is used, and nothing is delivered from then
 * on.
 *
 * <p>No method allocates, except to report an invalid frame.
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

    /** Null if the subscriber is never detached. */
    private final SubscriberLease lease;

    private final Header header;
    private final FollowingDistance distance;
    private final int termLength;
    private UnsafeBuffer term;
    private long address;
    private int partition;
    private long termPosition;
    private int termOffset;

    private final MisuseChecks checks = new MisuseChecks();

    /** Names the image in messages. */
    private final Object image;

    // Written by the reading thread, with release; read by the thread that unmaps the log.
    private boolean isDelivering;

    // Written once by the closing thread; read before each delivery.
    private volatile boolean isClosed;

    /**
     * Creates a reader at the subscriber's position.
     *
     * @param log log to read; may be mapped read-only.
     * @param subscriberPosition the subscriber's counter, which is written here and read by the
     *     driver.
     * @param isReplica whether the log is the image of a remote log. In an image, a negative frame
     *     length is an error; in a publication's own log, it marks a claim that is being filled.
     * @throws BusException if no frame can start at the subscriber's position.
     */
    public LogReader(LogBuffers log, Position subscriberPosition, boolean isReplica) {
        this(log, subscriberPosition, isReplica, null);
    }

    /**
     * Creates a reader for a subscriber that the driver may detach.
     *
     * @param lease lease of the subscriber, or null if it is never detached.
     */
    public LogReader(
            LogBuffers log, Position subscriberPosition, boolean isReplica, SubscriberLease lease) {
        this(log, subscriberPosition, isReplica, lease, "the image of " + log.file());
    }

    /**
     * Creates a reader that names its image in messages.
     *
     * @param lease lease of the subscriber, or null if it is never detached.
     * @param image object whose text names the image in the message of a {@link MisuseException}.
     */
    public LogReader(
            LogBuffers log,
            Position subscriberPosition,
            boolean isReplica,
            SubscriberLease lease,
            Object image) {
        this.log = log;
        this.image = image;
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

    /**
     * Checks a position from the counters file. The file is not trusted, and all reads of the term
     * depend on the position.
     */
    private long checked(long position) {
        if (position < 0
                || position > LogLayout.maxPosition(termLength)
                || position % FrameHeader.ALIGNMENT != 0) {
            throw new BusException(
                    "the subscriber's position "
                            + position
                            + " is invalid: it must be a multiple of "
                            + FrameHeader.ALIGNMENT
                            + " from 0 to "
                            + LogLayout.maxPosition(termLength)
                            + "; the counters are corrupt, so restart the media driver");
        }
        return position;
    }

    /** Returns the position after the last frame delivered. Called on the reading thread only. */
    public long position() {
        return termPosition + termOffset;
    }

    /** Returns the position of the current term. Called on the reading thread only. */
    long termPosition() {
        return termPosition;
    }

    /**
     * Moves past frames that were consumed by other means, and publishes the position. Called on
     * the reading thread only.
     *
     * @param position position of a frame in the current term, or the term's end.
     */
    public void moveTo(long position) {
        termOffset = (int) (position - termPosition);
        publish();
    }

    /**
     * Delivers fragments.
     *
     * @param handler handler to call for each fragment.
     * @param fragmentLimit maximum number of fragments to deliver.
     * @return number of fragments delivered.
     * @throws InvalidFrameException if the log holds an invalid frame; the position stays before
     *     it.
     */
    public int poll(FragmentHandler handler, int fragmentLimit) {
        return isSomethingThere() ? deliver(handler, fragmentLimit, UNBOUNDED) : 0;
    }

    /**
     * Delivers fragments that start before a position.
     *
     * @param handler handler to call for each fragment.
     * @param bound position before which a fragment must start to be delivered.
     * @param fragmentLimit maximum number of fragments to deliver.
     * @return number of fragments delivered.
     * @throws InvalidFrameException as in {@link #poll}.
     */
    public int boundedPoll(FragmentHandler handler, long bound, int fragmentLimit) {
        return position() < bound && isSomethingThere()
                ? deliver(handler, fragmentLimit, bound)
                : 0;
    }

    /**
     * Returns whether the word at the position is non-zero. Separate from the delivery, because a
     * spinning subscriber polls in vain about a hundred times for each frame, and the JIT would
     * otherwise treat the delivery as a rare branch. If a handler polls after the last frame of a
     * term, this reads the word after the term, which is still part of the log; the delivery then
     * finds that the term has ended.
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
                termOffset = next; // advance even if the handler throws
                fragments++;
                header.wrap(term, offset, word, termPosition + offset);
                handler.onFragment(
                        term, offset + FrameHeader.LENGTH, length - FrameHeader.LENGTH, header);
                if (termOffset != next) {
                    break; // the handler has itself polled
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
     * Delivers fragments to a handler whose result controls how the poll continues.
     *
     * @param handler handler to call for each fragment.
     * @param fragmentLimit maximum number of fragments to deliver.
     * @return number of fragments delivered, not counting aborted ones.
     * @throws InvalidFrameException if the log holds an invalid frame; the position stays before
     *     it.
     */
    public int controlledPoll(ControlledFragmentHandler handler, int fragmentLimit) {
        return isSomethingThere() ? deliverControlled(handler, fragmentLimit, UNBOUNDED) : 0;
    }

    /**
     * Delivers fragments that start before a position to a handler whose result controls how the
     * poll continues.
     *
     * @param handler handler to call for each fragment.
     * @param bound position before which a fragment must start to be delivered.
     * @param fragmentLimit maximum number of fragments to deliver.
     * @return number of fragments delivered, not counting aborted ones.
     * @throws InvalidFrameException as in {@link #controlledPoll}.
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
                            "the controlled fragment handler returned null: return one of ABORT,"
                                    + " BREAK, COMMIT and CONTINUE");
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
     * Stops delivery. Thread-safe.
     *
     * <p>{@link #isDelivering} may not yet show a delivery that another thread is just starting, so
     * a caller that unmaps the log must wait first.
     */
    public void close() {
        isClosed = true;
        header.closeStream();
    }

    /** Returns whether the reader is closed. Thread-safe. */
    public boolean isClosed() {
        return isClosed;
    }

    /** Returns whether a handler may still be reading the log of a closed reader. Thread-safe. */
    public boolean isDelivering() {
        return (boolean) DELIVERING.getAcquire(this);
    }

    /**
     * Marks the beginning of a delivery. Returns whether the delivery is nested in another
     * delivery.
     */
    boolean beginDelivery() {
        if (MisuseChecks.ON) {
            checks.enter(image);
        }
        boolean isNested = isDelivering;
        DELIVERING.setRelease(this, true);
        return isNested;
    }

    void endDelivery(boolean isNested) {
        if (MisuseChecks.ON) {
            checks.leave();
        }
        DELIVERING.setRelease(this, isNested);
    }

    /** Returns the offset at which this poll stops, usually the end of the term. */
    private int end(int offset, long bound) {
        int end = distance.isKept() ? distance.awaitEnd(termPosition, offset) : termLength;
        return (int) Math.min(end, bound - termPosition);
    }

    /**
     * Returns whether reading ends at a word that was loaded with acquire, because it is the
     * frontier or the subscriber was detached.
     */
    boolean isEnd(long word) {
        return isOpen(word) || lease != null && lease.isOver();
    }

    /** Returns whether a word is the frontier: zero, or a claim that is being filled. */
    private boolean isOpen(long word) {
        return word == 0 || (FrameHeader.length(word) < 0 && !isReplica);
    }

    /** Skips a padding frame. Throws an exception if the frame is invalid. */
    private void advance(long word, int offset) {
        if (!FrameCheck.isValid(word, offset, termLength)) {
            throw FrameCheck.invalid(word, termPosition + offset, offset, termLength);
        }
        termOffset = offset + FrameHeader.align(FrameHeader.length(word));
    }

    /**
     * Writes the subscriber's position, unless the driver has detached the subscriber and written
     * the counter itself.
     */
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
