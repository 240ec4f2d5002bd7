// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.concurrent.AgentInvoker;

/**
 * Invokes the driver and client of a bus on the measuring thread, unless they have their own
 * threads.
 *
 * @param driver driver of the bus; null if driver and client have their own threads.
 * @param client client of the bus; null if the driver is null.
 */
public record Invokers(AgentInvoker driver, AgentInvoker client) {
    /** Invokes driver and client once; returns the work count. */
    int invoke() {
        return driver == null ? 0 : driver.invoke() + client.invoke();
    }
}
