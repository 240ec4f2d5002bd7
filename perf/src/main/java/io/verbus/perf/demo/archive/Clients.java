// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.archive;

import io.aeron.Aeron;
import io.verbus.perf.demo.BusClient;
import io.verbus.perf.demo.DemoException;

import java.util.concurrent.TimeUnit;

/** Aeron's client as the processes of the demo use it. */
final class Clients {
    private Clients() {}

    /** Connects to a driver, which may just be starting. */
    static Aeron connect(String directory) {
        return Aeron.connect(
                new Aeron.Context()
                        .aeronDirectoryName(directory)
                        .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(BusClient.DRIVER_TIMEOUT_NS))
                        .errorHandler(error -> System.err.println(error.getMessage())));
    }

    /** Fails when a time has come. */
    static void check(long deadline, String failure) throws DemoException {
        if (System.nanoTime() - deadline > 0) {
            throw new DemoException(failure);
        }
    }
}
