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
 * What carries the streams of one driver, from its counters: a driver of which RDMA carries all
 * that leaves it has never opened UDP. One thread.
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
     * @param name of the driver, for people.
     * @param directory of it.
     */
    public CarrierWatch(String name, Path directory) {
        this.name = name;
        this.directory = directory;
    }

    /** Reads the counters, unless the driver is not there. */
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
            return; // the next look finds it
        }
    }

    /**
     * Makes sure that RDMA has carried all that was sent.
     *
     * @return what the counters say, for people.
     * @throws DemoException if UDP was used, or nothing was sent.
     */
    public String requireRdmaAlone() throws DemoException {
        look();
        if (hasOpenedUdp || bytesSent == 0) {
            throw new DemoException(
                    "the driver of the "
                            + name
                            + (hasOpenedUdp
                                    ? " has opened UDP, where RDMA was to carry everything"
                                    : " has sent nothing by RDMA")
                            + ": it is a defect, please report it with what the drivers recorded");
        }
        return String.format(
                Locale.ROOT,
                "%s: %,d bytes sent by RDMA, none by UDP; %d queue pairs, at most %d at a time",
                name,
                bytesSent,
                queuePairs,
                mostQueuePairs);
    }
}
