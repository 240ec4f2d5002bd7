// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.status.Position;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/**
 * The positions of a log's readers, and how much of the log they release for reuse. One thread, the
 * conductor's, lets readers join and leave; any thread releases; each reader writes its own
 * position.
 *
 * <p>A reader may join while another thread releases by the readers it knows. Hence a position
 * counts before it is chosen, and what is released is claimed before it is looked whether the
 * readers are still the same:
 *
 * <pre>
 *   conductor   count the new position   →  read what is claimed   →  choose no less
 *   releasing   claim the least position →  read who counts        →  release, if unchanged
 * </pre>
 *
 * All four are sequentially consistent: the releasing thread sees the new reader, or the conductor
 * sees the claim. A claim that is not released is an upper bound, no more.
 *
 * <p>A position that cannot be is not believed: nothing is released while one is behind what was
 * released, further past it than the log is long, or where no frame begins.
 */
public final class CountedPositions {
    private static final Position[] NONE = {};
    private static final VarHandle CLAIMED;
    private static final VarHandle RELEASED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            CLAIMED = lookup.findVarHandle(CountedPositions.class, "claimed", long.class);
            RELEASED = lookup.findVarHandle(CountedPositions.class, "released", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long span;

    /** Written by the conductor, a new array each time; read by any thread. */
    private volatile Position[] counted = NONE;

    /** Never less than what any thread has released or is about to. Only grows. */
    private volatile long claimed;

    /** Only grows. Written by any thread that releases. */
    private volatile long released;

    /** Set by any thread that finds a position that cannot be; cleared by the conductor. */
    private volatile boolean isDoubtful;

    /**
     * @param termLength of the log.
     * @param position from which the log is read.
     */
    public CountedPositions(int termLength, long position) {
        span = (long) LogLayout.PARTITIONS * termLength;
        claimed = position;
        released = position;
    }

    /** Whether there is no reader. Any thread. */
    public boolean isEmpty() {
        return counted.length == 0;
    }

    /** Position up to which the log was released; no reader joins behind it. Any thread. */
    public long released() {
        return released;
    }

    /**
     * Releases the log up to where all have read, and no further than a bound. Any thread.
     *
     * @param bound position; without a reader, the log is released up to it.
     * @return position up to which the log is released, never less than before.
     */
    public long release(long bound) {
        long before = released;
        Position[] all = counted;
        long least = Math.min(all.length == 0 ? bound : least(all, before), bound);
        if (least <= before || least == Long.MAX_VALUE) {
            return before;
        }
        raise(CLAIMED, least);
        if (counted != all) {
            return before; // somebody joins, and may have been too early to see the claim
        }
        return raise(RELEASED, least);
    }

    /** Raises a position, and returns it as it is then. */
    private long raise(VarHandle field, long position) {
        long current = (long) field.getVolatile(this);
        while (position > current) {
            if (field.compareAndSet(this, current, position)) {
                return position;
            }
            current = (long) field.getVolatile(this);
        }
        return current;
    }

    /**
     * Position up to which all have read; without a reader, up to which the log is released. To be
     * released before a thread acts upon it. Any thread.
     */
    public long least() {
        long before = released;
        Position[] all = counted;
        return all.length == 0 ? before : least(all, before);
    }

    /** The least of the positions, or what was released where one of them cannot be. */
    private long least(Position[] all, long before) {
        long least = Long.MAX_VALUE;
        long most = before;
        long bits = 0;
        for (int i = 0; i < all.length; i++) {
            long position = all[i].getAcquire();
            least = Math.min(least, position);
            most = Math.max(most, position);
            bits |= position;
        }
        boolean isPossible =
                least >= before && most - before <= span && (bits & FrameHeader.ALIGNMENT - 1) == 0;
        if (!isPossible) {
            isDoubtful = true;
            return before;
        }
        return least;
    }

    /** Position that the furthest has read up to; one that cannot be is left out. Any thread. */
    public long furthest() {
        long before = released;
        long most = before;
        Position[] all = counted;
        for (int i = 0; i < all.length; i++) {
            long position = all[i].getAcquire();
            boolean canBe = position - before <= span && position % FrameHeader.ALIGNMENT == 0;
            most = canBe ? Math.max(most, position) : most;
        }
        return most;
    }

    /**
     * Lets a reader join where the one is that has read the least. Conductor.
     *
     * @param joining the reader's, to be set.
     * @param alone position to join at where there is no reader; asked when the reader counts.
     * @return position from which it reads.
     */
    public long joinLeast(Position joining, LongSupplier alone) {
        Position[] others = counted;
        return join(
                joining, () -> others.length == 0 ? alone.getAsLong() : least(others, released));
    }

    /**
     * Lets a reader join at a position, or at what is claimed if that is further. Conductor.
     *
     * @param joining the reader's, to be set.
     * @param wanted position to join at: a frame begins there, or will; asked when the reader
     *     counts.
     * @return position from which it reads.
     */
    public long join(Position joining, LongSupplier wanted) {
        joining.setRelease(released);
        counted = ArrayUtil.add(counted, joining);
        long position = Math.max(wanted.getAsLong(), claimed);
        joining.setRelease(position);
        return position;
    }

    /**
     * Lets a reader go. Conductor.
     *
     * @param leaving that has joined.
     */
    public void leave(Position leaving) {
        Position[] rest = ArrayUtil.remove(counted, leaving);
        counted = rest.length == 0 ? NONE : rest;
    }

    /** Whether a position was found that cannot be, since this was last asked. Conductor. */
    public boolean isDoubtful() {
        boolean wasDoubtful = isDoubtful;
        if (wasDoubtful) {
            isDoubtful = false;
        }
        return wasDoubtful;
    }

    /**
     * Whether a reader cannot be where its position says. Conductor.
     *
     * @param position of the reader.
     * @param tail position that no reader can have passed, or {@link Long#MAX_VALUE} if that is not
     *     known.
     */
    public boolean isImpossible(long position, long tail) {
        long before = released;
        return position < before
                || position - before > span
                || position > tail
                || position % FrameHeader.ALIGNMENT != 0;
    }
}
