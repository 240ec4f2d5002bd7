// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

/**
 * A counter in the driver's shared memory, which every client and tool may read. Made by {@link
 * Bus#addCounter}, which lasts as long as its client, or by {@link Bus#addStaticCounter}, which
 * lasts as long as the driver. Any thread may use it, as the method says that is called.
 *
 * <p>Nothing may be written to a counter that was closed: it may be another's.
 */
public final class Counter extends AtomicCounter {
    private final long correlationId;
    private final long registrationId;
    private final ChannelResource.Owner owner;

    // Under this object's monitor where it is written; read by any thread.
    private volatile boolean isClosed;

    Counter(
            long correlationId,
            long registrationId,
            CountersReader counters,
            int counterId,
            ChannelResource.Owner owner) {
        super(counters.valuesBuffer(), counterId);
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

    /** Identity of the counter at its driver; of a static one, as it was chosen. */
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
}
