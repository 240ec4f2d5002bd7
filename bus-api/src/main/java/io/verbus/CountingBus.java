// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.control.NewCounter;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.util.Objects;

/**
 * What a {@link Bus} has of counters and handlers. Any thread may call any method; what waits for
 * the driver is not for the bus's handlers.
 */
abstract sealed class CountingBus permits AsyncBus {
    final ClientConductor conductor;
    final ClientCalls calls;

    CountingBus(Bus.Context context) {
        conductor = new ClientConductor((Bus) this, context, Reconnection.connect(context));
        calls = conductor.calls();
    }

    /**
     * The driver's counters. What is returned must not be used once the bus is closed, or connected
     * to the next driver: those of that one are got anew.
     *
     * @throws BusException if the bus is closed.
     */
    public CountersReader counters() {
        return conductor.counterValues();
    }

    /**
     * Adds a counter that lasts as long as this client, and tells all clients of it. Waits for the
     * driver, up to the driver timeout.
     *
     * @param typeId of the counter: the application's to choose, from 1,000 to 9,999.
     * @param key that tells counters of the type apart; may be null if it has no bytes.
     * @param keyOffset at which it begins.
     * @param keyLength in bytes, at most 112.
     * @param label for people, ASCII.
     * @param labelOffset at which it begins.
     * @param labelLength in bytes, at most 380.
     * @return the counter, of value 0.
     * @throws IllegalArgumentException if key or label are too long.
     * @throws RegistrationException if the driver refuses, such as for want of room.
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
     * Adds a counter without a key, as {@link #addCounter(int, DirectBuffer, int, int,
     * DirectBuffer, int, int)}.
     *
     * @param typeId of the counter: the application's to choose, from 1,000 to 9,999.
     * @param label for people, ASCII, at most 380 characters.
     */
    public Counter addCounter(int typeId, String label) {
        return calls.addCounter(NewCounter.of(typeId, label));
    }

    /**
     * Adds a counter that lasts as long as the driver, or finds the one that there is of that type
     * and registration id, whatever its key and label. Waits for the driver.
     *
     * @param typeId of the counter: the application's to choose, from 1,000 to 9,999.
     * @param key that tells counters of the type apart; may be null if it has no bytes.
     * @param keyOffset at which it begins.
     * @param keyLength in bytes, at most 112.
     * @param label for people, ASCII.
     * @param labelOffset at which it begins.
     * @param labelLength in bytes, at most 380.
     * @param registrationId the application's to choose.
     * @return the counter, with the value that it has.
     * @throws IllegalArgumentException if key or label are too long.
     * @throws RegistrationException if the driver refuses, as where a counter of the kind has an
     *     owner.
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
     * Adds or finds a static counter without a key, as {@link #addStaticCounter(int, DirectBuffer,
     * int, int, DirectBuffer, int, int, long)}.
     *
     * @param typeId of the counter: the application's to choose, from 1,000 to 9,999.
     * @param label for people, ASCII, at most 380 characters.
     * @param registrationId the application's to choose.
     */
    public Counter addStaticCounter(int typeId, String label, long registrationId) {
        return calls.addStaticCounter(NewCounter.of(typeId, label), registrationId);
    }

    /**
     * Has each counter told that a client adds from now on.
     *
     * @param handler called on the client conductor's thread.
     * @return id by which to remove the handler.
     */
    public long addAvailableCounterHandler(AvailableCounterHandler handler) {
        long id = calls.nextCorrelationId();
        conductor.counters().available().put(id, Objects.requireNonNull(handler));
        return id;
    }

    /** Removes a handler by its id; false if there is none. */
    public boolean removeAvailableCounterHandler(long id) {
        return conductor.counters().available().remove(id) != null;
    }

    /** Removes a handler; false if it is none. */
    public boolean removeAvailableCounterHandler(AvailableCounterHandler handler) {
        return conductor.counters().available().values().removeIf(each -> each == handler);
    }

    /**
     * Has each counter told of a client that goes from now on.
     *
     * @param handler called on the client conductor's thread.
     * @return id by which to remove the handler.
     */
    public long addUnavailableCounterHandler(UnavailableCounterHandler handler) {
        long id = calls.nextCorrelationId();
        conductor.counters().unavailable().put(id, Objects.requireNonNull(handler));
        return id;
    }

    /** Removes a handler by its id; false if there is none. */
    public boolean removeUnavailableCounterHandler(long id) {
        return conductor.counters().unavailable().remove(id) != null;
    }

    /** Removes a handler; false if it is none. */
    public boolean removeUnavailableCounterHandler(UnavailableCounterHandler handler) {
        return conductor.counters().unavailable().values().removeIf(each -> each == handler);
    }

    /**
     * Has it told, once, that the bus was closed or has lost its driver.
     *
     * @param handler called on the client conductor's thread, or on the one that closes the bus,
     *     after publications, subscriptions and counters were closed.
     * @return id by which to remove the handler.
     */
    public long addCloseHandler(Runnable handler) {
        long id = calls.nextCorrelationId();
        conductor.closeHandlers().put(id, Objects.requireNonNull(handler));
        return id;
    }

    /** Removes a handler by its id; false if there is none. */
    public boolean removeCloseHandler(long id) {
        return conductor.closeHandlers().remove(id) != null;
    }

    /** Removes a handler; false if it is none. */
    public boolean removeCloseHandler(Runnable handler) {
        return conductor.closeHandlers().values().removeIf(each -> each == handler);
    }
}
