// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.archive;

import io.aeron.Aeron;
import io.verbus.perf.demo.BusClient;
import io.verbus.perf.demo.DemoException;

import java.util.concurrent.TimeUnit;

/** Creates and supervises Aeron clients for the demo's processes. */
final class ArchiveClients {
    private ArchiveClients() {}

    /** Connects to a driver, which may still be starting. */
    static Aeron connect(String directory) {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(directory)
                        .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(BusClient.DRIVER_TIMEOUT_NS))
                        .errorHandler(error -> System.err.println(error.getMessage())));
    }

    /** Fails once a deadline has passed. */
    static void check(long deadline, String failure) throws DemoException {
        if (System.nanoTime() - deadline > 0) {
            throw new DemoException(failure);
        }
    }
}
