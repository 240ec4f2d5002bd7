// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

import java.nio.ByteBuffer;

/**
 * A counter in the driver's shared memory that every client and tool can read. {@link
 * Bus#addCounter} creates a counter that lives as long as its client; {@link Bus#addStaticCounter}
 * creates a counter that lives as long as the driver. The methods are as thread-safe as those of
 * {@link AtomicCounter}.
 *
 * <p>A closed counter must not be written, because the driver may reuse its memory for another
 * counter.
 *
 * <p>A bus that moves to the next driver also moves its counters; see {@link BusContext#reconnect}.
 * Until then, a counter keeps counting in private memory. At the next driver, the counter continues
 * from its value, but concurrent updates during the move may be lost. A static counter takes the
 * value that it has at the next driver.
 */
public final class Counter extends AtomicCounter {
    /** Placeholder passed to the superclass, which cannot change its buffer. */
    private static final UnsafeBuffer NOWHERE =
            new UnsafeBuffer(new byte[CountersReader.COUNTER_LENGTH]);

    private final long correlationId;
    private final ChannelResource.Owner owner;

    // Written by the conductor. These belong to the current or last driver.
    private volatile long registrationId;
    private volatile int counterId;
    private volatile AtomicCounter place;

    // Written under this object's monitor; read by any thread.
    private volatile boolean isClosed;

    Counter(
            long correlationId,
            long registrationId,
            CountersReader counters,
            int counterId,
            ChannelResource.Owner owner) {
        super(NOWHERE, 0);
        place = new AtomicCounter(counters.valuesBuffer(), counterId);
        this.counterId = counterId;
        this.correlationId = correlationId;
        this.registrationId = registrationId;
        this.owner = owner;
    }

    /**
     * Creates a view of an existing counter, which may belong to any client.
     *
     * @param counters counters of the driver; see {@link Bus#counters}.
     * @param counterId id of the counter.
     * @throws BusException if there is no such counter.
     */
    public Counter(CountersReader counters, int counterId) {
        this(0, checkedRegistration(counters, counterId), counters, counterId, null);
    }

    private static long checkedRegistration(CountersReader counters, int counterId) {
        if (counterId < 0
                || counterId > counters.maxCounterId()
                || counters.getCounterState(counterId) != CountersReader.RECORD_ALLOCATED) {
            throw new BusException(
                    "there is no counter " + counterId + ": pass the id of an existing counter");
        }
        return counters.getCounterRegistrationId(counterId);
    }

    /** Returns the id of the command that added the counter, or 0 for a view. */
    public long correlationId() {
        return correlationId;
    }

    /**
     * Returns the counter's registration id. The id changes when the bus moves to the next driver,
     * except for a static counter, which keeps the id that the application chose.
     */
    public long registrationId() {
        return registrationId;
    }

    /**
     * Returns whether {@link #close} was called, or the bus was closed or has permanently lost its
     * driver.
     */
    @Override
    public boolean isClosed() {
        return isClosed;
    }

    /**
     * Frees the counter, unless it is static or a view. Thread-safe and idempotent; does not wait.
     */
    @Override
    public void close() {
        if (markClosed() && owner != null) {
            owner.release(this);
        }
    }

    /** Marks the counter closed. Returns false if it was already closed. */
    synchronized boolean markClosed() {
        boolean first = !isClosed;
        isClosed = true;
        super.close();
        return first;
    }

    /** Moves the counter to private memory because the driver is lost. */
    synchronized void leave() {
        AtomicCounter alone =
                new AtomicCounter(
                        new UnsafeBuffer(ByteBuffer.allocateDirect(CountersReader.COUNTER_LENGTH)),
                        0);
        alone.set(place.get());
        place = alone;
    }

    /**
     * Moves the counter to the next driver.
     *
     * @param takesValue whether to copy the current value to the next driver.
     * @return false if the counter was closed in the meantime.
     */
    synchronized boolean move(
            long registrationId, CountersReader counters, int counterId, boolean takesValue) {
        if (isClosed) {
            return false;
        }
        AtomicCounter next = new AtomicCounter(counters.valuesBuffer(), counterId);
        if (takesValue) {
            next.set(place.get());
        }
        this.registrationId = registrationId;
        this.counterId = counterId;
        place = next;
        return true;
    }

    @Override
    public String toString() {
        return "counter " + id() + " registration=" + registrationId + " value=" + get();
    }

    // AtomicCounter operations, on the counter's current memory

    @Override
    public int id() {
        return counterId;
    }

    @Override
    public long increment() {
        return place.increment();
    }

    @Override
    public long incrementOrdered() {
        return place.incrementOrdered();
    }

    @Override
    public long incrementRelease() {
        return place.incrementRelease();
    }

    @Override
    public long incrementOpaque() {
        return place.incrementOpaque();
    }

    @Override
    public long incrementPlain() {
        return place.incrementPlain();
    }

    @Override
    public long decrement() {
        return place.decrement();
    }

    @Override
    public long decrementOrdered() {
        return place.decrementOrdered();
    }

    @Override
    public long decrementRelease() {
        return place.decrementRelease();
    }

    @Override
    public long decrementOpaque() {
        return place.decrementOpaque();
    }

    @Override
    public long decrementPlain() {
        return place.decrementPlain();
    }

    @Override
    public void set(long value) {
        place.set(value);
    }

    @Override
    public void setOrdered(long value) {
        place.setOrdered(value);
    }

    @Override
    public void setRelease(long value) {
        place.setRelease(value);
    }

    @Override
    public void setOpaque(long value) {
        place.setOpaque(value);
    }

    @Override
    public void setWeak(long value) {
        place.setWeak(value);
    }

    @Override
    public void setPlain(long value) {
        place.setPlain(value);
    }

    @Override
    public long getAndAdd(long value) {
        return place.getAndAdd(value);
    }

    @Override
    public long getAndAddOrdered(long value) {
        return place.getAndAddOrdered(value);
    }

    @Override
    public long getAndAddRelease(long value) {
        return place.getAndAddRelease(value);
    }

    @Override
    public long getAndAddOpaque(long value) {
        return place.getAndAddOpaque(value);
    }

    @Override
    public long getAndAddPlain(long value) {
        return place.getAndAddPlain(value);
    }

    @Override
    public long getAndSet(long value) {
        return place.getAndSet(value);
    }

    @Override
    public boolean compareAndSet(long expected, long update) {
        return place.compareAndSet(expected, update);
    }

    @Override
    public long get() {
        return place.get();
    }

    @Override
    public long getAcquire() {
        return place.getAcquire();
    }

    @Override
    public long getOpaque() {
        return place.getOpaque();
    }

    @Override
    public long getWeak() {
        return place.getWeak();
    }

    @Override
    public long getPlain() {
        return place.getPlain();
    }

    @Override
    public boolean proposeMax(long value) {
        return place.proposeMax(value);
    }

    @Override
    public boolean proposeMaxOrdered(long value) {
        return place.proposeMaxOrdered(value);
    }

    @Override
    public boolean proposeMaxRelease(long value) {
        return place.proposeMaxRelease(value);
    }

    @Override
    public boolean proposeMaxOpaque(long value) {
        return place.proposeMaxOpaque(value);
    }
}
