// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.cnc.LossReport;

import org.agrona.ErrorHandler;

/** Keeps the driver's loss report. Conductor's thread. */
final class Losses implements AutoCloseable {
    private final LossReport report;
    private final DriverClock clock;
    private final ErrorHandler errors;
    private boolean wasFull;

    Losses(DriverDirectory directory, DriverClock clock, ErrorHandler errors) {
        report = LossReport.create(directory.path().resolve(LossReport.NAME));
        this.clock = clock;
        this.errors = errors;
    }

    /** Adds what a transport has seen. */
    void add(
            int streamId,
            int sessionId,
            String channel,
            String source,
            long observations,
            long bytes) {
        boolean isFull =
                !report.add(
                        streamId, sessionId, channel, source, observations, bytes, clock.epochMs());
        if (isFull && !wasFull) {
            wasFull = true;
            errors.onError(
                    new BusException(
                            "the loss report is full, losses of more streams are only counted:"
                                    + " restart the driver to empty it"));
        }
    }

    @Override
    public void close() {
        report.close();
    }
}
