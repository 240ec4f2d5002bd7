// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;

import org.agrona.concurrent.status.CountersReader;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Checks in a driver's counters which transport carries its streams. If RDMA carries everything,
 * the driver never opens UDP. Used by one thread.
 */
public final class CarrierWatch {
    private static final long UP = 2;

    private final String name;
    private final Path directory;
    private int queuePairs;
    private int mostQueuePairs;
    private boolean hasOpenedUdp;
    private long bytesSent;

    /**
     * @param name display name of the driver.
     * @param directory directory of the driver.
     */
    public CarrierWatch(String name, Path directory) {
        this.name = name;
        this.directory = directory;
    }

    /** Reads the counters, if the driver is running. */
    public void look() {
        Path file = directory.resolve(CncFile.NAME);
        if (!Files.exists(file)) {
            return;
        }
        try (CncFile cnc = CncFile.map(file)) {
            CountersReader counters =
                    new CountersReader(cnc.counterMetadata(), cnc.counterValues());
            queuePairs = 0;
            counters.forEach(
                    (id, label) -> {
                        boolean isConnection =
                                label.startsWith("rdma to ") || label.startsWith("rdma from ");
                        if (isConnection
                                && label.endsWith(": state")
                                && counters.getCounterValue(id) == UP) {
                            queuePairs++;
                        }
                        hasOpenedUdp |= label.startsWith("udp: ");
                    });
            bytesSent = counters.getCounterValue(SystemCounter.BYTES_SENT.ordinal());
            mostQueuePairs = Math.max(mostQueuePairs, queuePairs);
        } catch (BusException starting) {
            return; // the driver is still starting; the next call retries
        }
    }

    /**
     * Checks that RDMA carried everything that was sent.
     *
     * @return summary of the counters.
     * @throws DemoException if UDP was used, or nothing was sent.
     */
    public String requireRdmaAlone() throws DemoException {
        look();
        if (hasOpenedUdp || bytesSent == 0) {
            throw new DemoException(
                    "the driver of the "
                            + name
                            + (hasOpenedUdp
                                    ? " opened UDP, although RDMA should carry everything"
                                    : " sent nothing over RDMA")
                            + ": this is a defect; please report it with the errors that"
                            + " the drivers recorded");
        }
        return String.format(
                Locale.ROOT,
                "%s: %,d bytes sent over RDMA, none over UDP; %d queue pairs, at most %d at a time",
                name,
                bytesSent,
                queuePairs,
                mostQueuePairs);
    }
}
