// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Recording;
import io.verbus.perf.load.Throughput;

/** What can be measured beside another: a bus, what it stands on, or a tool that measures that. */
public interface Contender extends AutoCloseable {
    /** Name and version. */
    String version();

    /** Does the work's warm-up. */
    void warmUp();

    /** Measures so many round trips. */
    Measurement roundTrips(long count);

    /** Measures a stream of so many messages of each publisher. */
    Throughput stream(long count);

    /**
     * Measures the recording of so many messages, and their replay.
     *
     * @throws UnsupportedOperationException if this has no archive.
     */
    default Recording recording(long count) {
        throw new UnsupportedOperationException(version() + " has no archive");
    }

    @Override
    void close();
}
