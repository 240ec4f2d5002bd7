// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;
import io.verbus.cnc.CounterTypes;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Counters for one of an image's several sources: its merged position, and how much of the image it
 * has delivered before the others. Allocated and closed by the conductor; written by the receiver.
 */
public final class SourceCounters implements AutoCloseable {
    private final AtomicCounter position;
    private final AtomicCounter delivered;

    /**
     * @param counters counters of the driver.
     * @param image image that the source belongs to.
     * @param destination host and port of the destination at which the source arrives.
     * @param begin first position of the source.
     * @throws BusException if there are no counters left.
     */
    public SourceCounters(
            DriverCounters counters, DriverCounters.Stream image, String destination, long begin) {
        position =
                counters.source(
                        CounterTypes.SOURCE_POSITION, "source position at", destination, image);
        try {
            delivered =
                    counters.source(
                            CounterTypes.SOURCE_DELIVERED, "source led at", destination, image);
        } catch (BusException e) {
            position.close();
            throw e;
        }
        position.setRelease(begin);
    }

    /** Records the position up to which the source is merged. */
    public void reached(long newPosition) {
        position.setRelease(newPosition);
    }

    /** Counts bytes that the source has delivered before the others. */
    public void delivered(long bytes) {
        delivered.getAndAddRelease(bytes);
    }

    @Override
    public void close() {
        position.close();
        delivered.close();
    }
}
