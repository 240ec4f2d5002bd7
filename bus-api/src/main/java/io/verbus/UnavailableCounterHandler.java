// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import org.agrona.concurrent.status.CountersReader;

/** Told when a counter of a client, this one or another, goes. */
@FunctionalInterface
public interface UnavailableCounterHandler {
    /**
     * Called on the client conductor's thread, also for the counter that tells that a client lives.
     * Must not block, and must not wait for the driver.
     *
     * @param counters of the driver, where the counter may be another's soon.
     * @param registrationId of the counter; the client's id for the sign of its life.
     * @param counterId of the counter.
     */
    void onUnavailableCounter(CountersReader counters, long registrationId, int counterId);
}
