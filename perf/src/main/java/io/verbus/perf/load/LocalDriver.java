// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.concurrent.AgentInvoker;

/**
 * A driver that this process has launched.
 *
 * @param version name and version of it.
 * @param invoker that drives it, where it has no threads of its own; else null.
 * @param end ends it.
 */
public record LocalDriver(String version, AgentInvoker invoker, Runnable end)
        implements AutoCloseable {
    @Override
    public void close() {
        end.run();
    }
}
