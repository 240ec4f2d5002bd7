// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets an untethered subscriber detect, from its own counter, that the driver has detached it. The
 * driver changes the counter's reference id before the log may be reused, and the counter's
 * position when the subscriber rejoins. A process that was suspended detects this before it
 * receives the corresponding events and before it uses a frame.
 *
 * <pre>
 *   driver      change the reference id  →  linger  →  stop counting the position  →  raise limits
 *   subscriber  load a frame's first word  →  check reference id and position  →  use the frame
 * </pre>
 *
 * <p>A reader that loads, with acquire, a word that was written since the log was reused also sees
 * the changed reference id. Aeron's driver changes only the position.
 *
 * <p>Used by the reading thread only, except for {@link #position}.
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

    /** Last position written by the subscriber. Written by the reading thread. */
    private long published;

    private boolean isOver;

    /**
     * Creates a lease while the subscriber is attached.
     *
     * @param values values buffer of the counters.
     * @param counterId id of the subscriber's position counter.
     */
    public SubscriberLease(AtomicBuffer values, int counterId) {
        this.values = values;
        valueOffset = CountersReader.counterOffset(counterId);
        referenceOffset = valueOffset + CountersReader.REFERENCE_ID_OFFSET;
        reference = values.getLongAcquire(referenceOffset);
        published = values.getLongAcquire(valueOffset);
    }

    /**
     * Returns whether the subscriber was detached, in which case the log must no longer be used.
     */
    boolean isOver() {
        if (!isOver) {
            isOver =
                    values.getLongAcquire(referenceOffset) != reference
                            || values.getLongAcquire(valueOffset) != published;
        }
        return isOver;
    }

    /**
     * Writes the subscriber's position, unless the subscriber was detached. After that, the driver
     * may write the rejoin position at any time, which must not be overwritten.
     */
    void publish(long position) {
        if (!isOver() && values.compareAndSetLong(valueOffset, published, position)) {
            PUBLISHED.setRelease(this, position);
        } else {
            isOver = true;
        }
    }

    /**
     * Returns the last position written by the subscriber, regardless of the counter's value.
     * Thread-safe.
     */
    public long position() {
        return (long) PUBLISHED.getAcquire(this);
    }
}
