// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import org.agrona.concurrent.status.CountersReader;

/** Handles counters added by clients, including this one. */
@FunctionalInterface
public interface AvailableCounterHandler {
    /**
     * Called on the client conductor's thread when a counter is added. Also called for clients'
     * heartbeat counters, but not for static counters, nor for counters that already existed. Must
     * not block, and must not wait for the driver.
     *
     * @param counters counters of the driver.
     * @param registrationId registration id of the counter; the client id for a heartbeat counter.
     * @param counterId id of the counter.
     */
    void onAvailableCounter(CountersReader counters, long registrationId, int counterId);
}
