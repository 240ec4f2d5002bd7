// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

import java.nio.ByteBuffer;

/**
 * A counter in the driver's shared memory, which every client and tool may read. Made by {@link
 * Bus#addCounter}, which lasts as long as its client, or by {@link Bus#addStaticCounter}, which
 * lasts as long as the driver. Any thread may use it, as the method says that is called.
 *
 * <p>Nothing may be written to a counter that was closed: it may be another's.
 *
 * <p>A bus that goes over to the next driver takes its counters along, see {@link
 * Bus.Context#reconnect}. Until then a counter counts on, where only this process sees it. At the
 * next driver it goes on from its value; what other threads write at that moment may be lost. A
 * static counter has the value there that the next driver has of it.
 */
public final class Counter extends AtomicCounter {
    /** What Agrona's class would count in, which never changes its place. */
    private static final UnsafeBuffer NOWHERE =
            new UnsafeBuffer(new byte[CountersReader.COUNTER_LENGTH]);

    private final long correlationId;
    private final ChannelResource.Owner owner;

    // Written by the conductor: of the driver that there is, or was last.
    private volatile long registrationId;
    private volatile int counterId;
    private volatile AtomicCounter place;

    // Under this object's monitor where it is written; read by any thread.
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
     * A view of a counter that there is, of whatever client.
     *
     * @param counters of the driver, see {@link Bus#counters}.
     * @param counterId of the counter.
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
                    "there is no counter " + counterId + ": find its id in the counters first");
        }
        return counters.getCounterRegistrationId(counterId);
    }

    /** Identity of the command that has added it; 0 of a view. */
    public long correlationId() {
        return correlationId;
    }

    /**
     * Identity of the counter at its driver; of a static one, as it was chosen. Another one at the
     * next driver, but for a static one.
     */
    public long registrationId() {
        return registrationId;
    }

    /** Whether {@link #close} was called, the bus was closed or the driver is lost. */
    @Override
    public boolean isClosed() {
        return isClosed;
    }

    /**
     * Frees the counter, unless it is a static one or a view. Any thread; does not wait; closing
     * again does nothing.
     */
    @Override
    public void close() {
        if (markClosed() && owner != null) {
            owner.release(this);
        }
    }

    /** False if it was closed before. */
    synchronized boolean markClosed() {
        boolean first = !isClosed;
        isClosed = true;
        super.close();
        return first;
    }

    /** The driver is lost: counts on in this process alone. */
    synchronized void leave() {
        AtomicCounter alone =
                new AtomicCounter(
                        new UnsafeBuffer(ByteBuffer.allocateDirect(CountersReader.COUNTER_LENGTH)),
                        0);
        alone.set(place.get());
        place = alone;
    }

    /**
     * Goes over to the next driver.
     *
     * @param takesValue whether the value is taken along.
     * @return false if the counter was closed meanwhile.
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

    // What Agrona's class does, where the counter is now

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
