// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import io.verbus.perf.load.Measurement;
import io.verbus.perf.load.Recording;
import io.verbus.perf.load.Throughput;

/** Running contender, set up for some work. */
public interface Run extends AutoCloseable {
    /** Returns the name and version. */
    String version();

    /** Runs the warm-up of the work. */
    void warmUp();

    /** Measures {@code count} round trips. */
    Measurement roundTrips(long count);

    /** Measures a stream of {@code count} messages from each publisher. */
    Throughput stream(long count);

    /**
     * Measures the recording of {@code count} messages, and their replay.
     *
     * @throws UnsupportedOperationException if the contender has no archive.
     */
    default Recording recording(long count) {
        throw new UnsupportedOperationException(version() + " has no archive");
    }

    @Override
    void close();
}
