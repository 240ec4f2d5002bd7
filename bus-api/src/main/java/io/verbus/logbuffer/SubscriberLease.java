// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What a subscriber that does not hold its stream back finds in its own counter of having been let
 * go: the driver changes the reference id before the log may be reused, and the position when the
 * subscriber joins anew. A process that was stopped meanwhile finds this before the events that
 * tell of it, and before it believes a frame.
 *
 * <pre>
 *   driver      change the reference id  →  linger  →  count the position no more  →  raise limits
 *   subscriber  load a frame's first word  →  look at reference id and position  →  believe it
 * </pre>
 *
 * <p>Who loads a word, with acquire, that was written since the log was reused finds the change.
 * Aeron's driver changes the position alone.
 *
 * <p>The reading thread's, but for {@link #position}.
 */
public final class SubscriberLease {
    private static final VarHandle PUBLISHED;

    static {
        try {
            PUBLISHED =
                    MethodHandles.lookup()
                            .findVarHandle(SubscriberLease.class, "published", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AtomicBuffer values;
    private final int valueOffset;
    private final int referenceOffset;
    private final long reference;

    /** Position that the subscriber has written last. Written by the reading thread. */
    private long published;

    private boolean isOver;

    /**
     * Begins while the subscriber reads.
     *
     * @param values of the counters.
     * @param counterId of the subscriber's position.
     */
    public SubscriberLease(AtomicBuffer values, int counterId) {
        this.values = values;
        valueOffset = CountersReader.counterOffset(counterId);
        referenceOffset = valueOffset + CountersReader.REFERENCE_ID_OFFSET;
        reference = values.getLongAcquire(referenceOffset);
        published = values.getLongAcquire(valueOffset);
    }

    /** Whether the subscriber was let go: nothing of the log can be believed any more. */
    boolean isOver() {
        if (!isOver) {
            isOver =
                    values.getLongAcquire(referenceOffset) != reference
                            || values.getLongAcquire(valueOffset) != published;
        }
        return isOver;
    }

    /**
     * Writes the subscriber's position, unless it was let go: the driver may write where it joins
     * anew at any time, and that stays.
     */
    void publish(long position) {
        if (!isOver() && values.compareAndSetLong(valueOffset, published, position)) {
            PUBLISHED.setRelease(this, position);
        } else {
            isOver = true;
        }
    }

    /** Position that the subscriber has written last, whatever the counter holds. Any thread. */
    public long position() {
        return (long) PUBLISHED.getAcquire(this);
    }
}
