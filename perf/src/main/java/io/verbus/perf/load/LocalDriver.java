// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.concurrent.AgentInvoker;

/**
 * Driver launched by this process.
 *
 * @param version name and version of the driver.
 * @param invoker invoker of the driver; null if it has its own threads.
 * @param end action that closes the driver.
 */
public record LocalDriver(String version, AgentInvoker invoker, Runnable end)
        implements AutoCloseable {
    /** Launches a driver. */
    @FunctionalInterface
    public interface Launcher {
        /**
         * Launches the driver in this process.
         *
         * @param work work of the ends that use the driver.
         * @param directory directory of the driver.
         */
        LocalDriver launch(Work work, String directory);
    }

    @Override
    public void close() {
        end.run();
    }
}
