// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.concurrent.AgentInvoker;

/**
 * Runs driver and client of a bus on the thread that measures, where they have no threads of their
 * own.
 *
 * @param driver of the bus; null if it has threads of its own, and so has the client.
 * @param client of the bus; null likewise.
 */
public record Invokers(AgentInvoker driver, AgentInvoker client) {
    /** Runs them once; returns how much work that was. */
    int invoke() {
        return driver == null ? 0 : driver.invoke() + client.invoke();
    }
}
