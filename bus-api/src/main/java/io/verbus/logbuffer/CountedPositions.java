// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.collections.ArrayUtil;
import org.agrona.concurrent.status.Position;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/**
 * Tracks the positions of a log's readers, and how much of the log they release for reuse. Only the
 * conductor's thread adds and removes readers; any thread may release the log; each reader writes
 * its own position.
 *
 * <p>A reader may join while another thread releases according to the readers it has seen.
 * Therefore a new position is counted before its value is chosen, and a release is claimed before
 * the set of readers is checked for changes:
 *
 * <pre>
 *   conductor   count the new position   →  read the claim        →  choose no lower position
 *   releaser    claim the least position →  read the reader set   →  release, if unchanged
 * </pre>
 *
 * All four accesses are sequentially consistent: either the releaser sees the new reader, or the
 * conductor sees the claim. A claim that is not released is merely an upper bound.
 *
 * <p>Impossible positions are not trusted: nothing is released while a position is below the
 * released position, further past that position than the log is long, or unaligned.
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

    /** Replaced as a whole by the conductor; read by any thread. */
    private volatile Position[] counted = NONE;

    /**
     * Upper bound for the positions that threads have released or are about to release. Never
     * decreases.
     */
    private volatile long claimed;

    /** Released position. Never decreases. Written by any thread that releases the log. */
    private volatile long released;

    /** Set by any thread that finds an impossible position; cleared by the conductor. */
    private volatile boolean isDoubtful;

    /**
     * @param termLength length of the log's terms in bytes.
     * @param position position at which reading starts.
     */
    public CountedPositions(int termLength, long position) {
        span = (long) LogLayout.PARTITIONS * termLength;
        claimed = position;
        released = position;
    }

    /** Returns whether there is no reader. Thread-safe. */
    public boolean isEmpty() {
        return counted.length == 0;
    }

    /** Returns the released position; no reader joins below it. Thread-safe. */
    public long released() {
        return released;
    }

    /**
     * Releases the log up to the least position of all readers, but not past a bound. Thread-safe.
     *
     * @param bound highest position to release; this position is released if there is no reader.
     * @return the released position, which never decreases.
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
            return before; // a reader that is joining may have missed the claim
        }
        return raise(RELEASED, least);
    }

    /** Raises a field to a position, unless it is already higher. Returns the field's value. */
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
     * Returns the least position of all readers, or the released position if there is no reader. A
     * caller must release the position before acting on it. Thread-safe.
     */
    public long least() {
        long before = released;
        Position[] all = counted;
        return all.length == 0 ? before : least(all, before);
    }

    /**
     * Returns the least position, or the released position if any reader's position is impossible.
     */
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

    /** Returns the counter id of the reader with the least position; -1 if there is no reader. */
    public int slowest() {
        Position[] all = counted;
        int slowest = -1;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < all.length; i++) {
            long position = all[i].getAcquire();
            if (position < least) {
                least = position;
                slowest = all[i].id();
            }
        }
        return slowest;
    }

    /** Returns the highest position of all readers, ignoring impossible ones. Thread-safe. */
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
     * Adds a reader at the least position of all other readers. Called on the conductor's thread.
     *
     * @param joining position of the new reader, which this method sets.
     * @param alone supplier of the join position, used if there is no other reader; called after
     *     the reader was counted.
     * @return position at which the reader starts.
     */
    public long joinLeast(Position joining, LongSupplier alone) {
        Position[] others = counted;
        return join(
                joining, () -> others.length == 0 ? alone.getAsLong() : least(others, released));
    }

    /**
     * Adds a reader at a position, or at the claimed position if that is higher. Called on the
     * conductor's thread.
     *
     * @param joining position of the new reader, which this method sets.
     * @param wanted supplier of the join position, at which a frame starts or will start; called
     *     after the reader was counted.
     * @return position at which the reader starts.
     */
    public long join(Position joining, LongSupplier wanted) {
        joining.setRelease(released);
        counted = ArrayUtil.add(counted, joining);
        long position = Math.max(wanted.getAsLong(), claimed);
        joining.setRelease(position);
        return position;
    }

    /**
     * Removes a reader. Called on the conductor's thread.
     *
     * @param leaving position of a reader that has joined.
     */
    public void leave(Position leaving) {
        Position[] rest = ArrayUtil.remove(counted, leaving);
        counted = rest.length == 0 ? NONE : rest;
    }

    /**
     * Returns whether an impossible position was found since the last call. Called on the
     * conductor's thread.
     */
    public boolean isDoubtful() {
        boolean wasDoubtful = isDoubtful;
        if (wasDoubtful) {
            isDoubtful = false;
        }
        return wasDoubtful;
    }

    /**
     * Returns whether a reader's position is impossible. Called on the conductor's thread.
     *
     * @param position position of the reader.
     * @param tail position that no reader can have passed, or {@link Long#MAX_VALUE} if unknown.
     */
    public boolean isImpossible(long position, long tail) {
        long before = released;
        return position < before
                || position - before > span
                || position > tail
                || position % FrameHeader.ALIGNMENT != 0;
    }
}
