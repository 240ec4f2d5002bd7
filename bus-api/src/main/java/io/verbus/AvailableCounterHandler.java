// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import org.agrona.concurrent.status.CountersReader;

/** Told when a client, this one or another, has a new counter. */
@FunctionalInterface
public interface AvailableCounterHandler {
    /**
     * Called on the client conductor's thread, also for the counter that tells that a client lives.
     * Not called for static counters, nor for what was there before. Must not block, and must not
     * wait for the driver.
     *
     * @param counters of the driver.
     * @param registrationId of the counter; the client's id for the sign of its life.
     * @param counterId of the counter.
     */
    void onAvailableCounter(CountersReader counters, long registrationId, int counterId);
}
