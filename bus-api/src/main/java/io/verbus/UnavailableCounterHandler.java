// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import org.agrona.concurrent.status.CountersReader;

/** Handles the removal of clients' counters, including this client's. */
@FunctionalInterface
public interface UnavailableCounterHandler {
    /**
     * Called on the client conductor's thread when a client's counter is removed. Also called for
     * clients' heartbeat counters. Must not block, and must not wait for the driver.
     *
     * @param counters counters of the driver, which may soon reuse the counter's id.
     * @param registrationId registration id of the counter; the client id for a heartbeat counter.
     * @param counterId id of the counter.
     */
    void onUnavailableCounter(CountersReader counters, long registrationId, int counterId);
}
