// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.control.NewCounter;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * The methods of {@link Bus} for counters and handlers. All are thread-safe; those that wait for
 * the driver must not be called from a handler of the bus.
 */
abstract sealed class CountingBus permits AsyncBus {
    final ClientConductor conductor;
    final ClientCalls calls;

    CountingBus(Bus.Context context) {
        conductor = new ClientConductor((Bus) this, context, Reconnection.connect(context));
        calls = conductor.calls();
    }

    /**
     * Returns the driver's counters. The result must not be used once the bus is closed or has
     * moved to the next driver; call this method again for the next driver's counters.
     *
     * @return a reader for the driver's counters.
     * @throws BusException if the bus is closed.
     */
    public CountersReader counters() {
        return conductor.counterValues();
    }

    /**
     * Adds a counter that lives as long as this client, and announces it to all clients. Waits for
     * the driver, up to the driver timeout.
     *
     * @param typeId type of the counter, which the application chooses from 1,000 to 9,999.
     * @param key buffer with the key, which distinguishes counters of one type; null if {@code
     *     keyLength} is 0.
     * @param keyOffset offset of the key in its buffer.
     * @param keyLength length of the key in bytes, at most 112.
     * @param label buffer with a human-readable label in ASCII.
     * @param labelOffset offset of the label in its buffer.
     * @param labelLength length of the label in bytes, at most 380.
     * @return the counter, with value 0.
     * @throws IllegalArgumentException if the key or the label is too long.
     * @throws RegistrationException if the driver rejects the counter, for example for lack of
     *     space.
     * @throws BusException if the driver does not answer.
     */
    public Counter addCounter(
            int typeId,
            DirectBuffer key,
            int keyOffset,
            int keyLength,
            DirectBuffer label,
            int labelOffset,
            int labelLength) {
        return calls.addCounter(
                NewCounter.of(typeId, key, keyOffset, keyLength, label, labelOffset, labelLength));
    }

    /**
     * Adds a counter without a key, like {@link #addCounter(int, DirectBuffer, int, int,
     * DirectBuffer, int, int)}.
     *
     * @param typeId type of the counter, which the application chooses from 1,000 to 9,999.
     * @param label human-readable label in ASCII, at most 380 characters.
     * @return the counter, with value 0.
     */
    public Counter addCounter(int typeId, String label) {
        return calls.addCounter(NewCounter.of(typeId, label));
    }

    /**
     * Adds a counter that lives as long as the driver, or finds the existing counter with the same
     * type and registration id, regardless of its key and label. Waits for the driver, up to the
     * driver timeout.
     *
     * @param typeId type of the counter, which the application chooses from 1,000 to 9,999.
     * @param key buffer with the key, which distinguishes counters of one type; null if {@code
     *     keyLength} is 0.
     * @param keyOffset offset of the key in its buffer.
     * @param keyLength length of the key in bytes, at most 112.
     * @param label buffer with a human-readable label in ASCII.
     * @param labelOffset offset of the label in its buffer.
     * @param labelLength length of the label in bytes, at most 380.
     * @param registrationId registration id, which the application chooses.
     * @return the counter, with its current value.
     * @throws IllegalArgumentException if the key or the label is too long.
     * @throws RegistrationException if the driver rejects the counter, for example because a client
     *     owns a counter with the same type and registration id.
     * @throws BusException if the driver does not answer.
     */
    public Counter addStaticCounter(
            int typeId,
            DirectBuffer key,
            int keyOffset,
            int keyLength,
            DirectBuffer label,
            int labelOffset,
            int labelLength,
            long registrationId) {
        return calls.addStaticCounter(
                NewCounter.of(typeId, key, keyOffset, keyLength, label, labelOffset, labelLength),
                registrationId);
    }

    /**
     * Adds or finds a static counter without a key, like {@link #addStaticCounter(int,
     * DirectBuffer, int, int, DirectBuffer, int, int, long)}.
     *
     * @param typeId type of the counter, which the application chooses from 1,000 to 9,999.
     * @param label human-readable label in ASCII, at most 380 characters.
     * @param registrationId registration id, which the application chooses.
     * @return the counter, with its current value.
     */
    public Counter addStaticCounter(int typeId, String label, long registrationId) {
        return calls.addStaticCounter(NewCounter.of(typeId, label), registrationId);
    }

    /**
     * Adds a handler that is called for each counter that a client adds from now on.
     *
     * @param handler handler to call on the client conductor's thread.
     * @return id for {@link #removeAvailableCounterHandler(long)}.
     */
    public long addAvailableCounterHandler(AvailableCounterHandler handler) {
        long id = calls.nextCorrelationId();
        conductor
                .counters()
                .available()
                .put(id, ClientSettings.given(handler, "available-counter handler"));
        return id;
    }

    /** Removes a handler by its id; returns false if the id is unknown. */
    public boolean removeAvailableCounterHandler(long id) {
        return conductor.counters().available().remove(id) != null;
    }

    /** Removes a handler; returns false if it was not added. */
    public boolean removeAvailableCounterHandler(AvailableCounterHandler handler) {
        return conductor.counters().available().values().removeIf(each -> each == handler);
    }

    /**
     * Adds a handler that is called each time a client's counter is removed from now on.
     *
     * @param handler handler to call on the client conductor's thread.
     * @return id for {@link #removeUnavailableCounterHandler(long)}.
     */
    public long addUnavailableCounterHandler(UnavailableCounterHandler handler) {
        long id = calls.nextCorrelationId();
        conductor
                .counters()
                .unavailable()
                .put(id, ClientSettings.given(handler, "unavailable-counter handler"));
        return id;
    }

    /** Removes a handler by its id; returns false if the id is unknown. */
    public boolean removeUnavailableCounterHandler(long id) {
        return conductor.counters().unavailable().remove(id) != null;
    }

    /** Removes a handler; returns false if it was not added. */
    public boolean removeUnavailableCounterHandler(UnavailableCounterHandler handler) {
        return conductor.counters().unavailable().values().removeIf(each -> each == handler);
    }

    /**
     * Adds a handler that is called once, when the bus is closed or has permanently lost its
     * driver.
     *
     * @param handler handler to call after publications, subscriptions and counters were closed, on
     *     the client conductor's thread or the thread that closes the bus.
     * @return id for {@link #removeCloseHandler(long)}.
     */
    public long addCloseHandler(Runnable handler) {
        long id = calls.nextCorrelationId();
        conductor.closeHandlers().put(id, ClientSettings.given(handler, "close handler"));
        return id;
    }

    /** Removes a handler by its id; returns false if the id is unknown. */
    public boolean removeCloseHandler(long id) {
        return conductor.closeHandlers().remove(id) != null;
    }

    /** Removes a handler; returns false if it was not added. */
    public boolean removeCloseHandler(Runnable handler) {
        return conductor.closeHandlers().values().removeIf(each -> each == handler);
    }
}
