// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.cnc.LossReport;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;

/** Maintains the driver's loss report. Used by the conductor's thread. */
public final class Losses implements AutoCloseable {
    private final LossReport report;
    private final EpochClock clock;
    private final ErrorHandler errors;
    private boolean wasFull;

    public Losses(DriverDirectory directory, EpochClock clock, ErrorHandler errors) {
        report = LossReport.create(directory.path().resolve(LossReport.NAME));
        this.clock = clock;
        this.errors = errors;
    }

    /** Adds a loss that a transport has detected. */
    public void add(
            int streamId,
            int sessionId,
            String channel,
            String source,
            long observations,
            long bytes) {
        boolean isFull =
                !report.add(
                        streamId, sessionId, channel, source, observations, bytes, clock.time());
        if (isFull && !wasFull) {
            wasFull = true;
            errors.onError(
                    new BusException(
                            "the loss report is full, so losses of further streams are only"
                                    + " counted: restart the driver to empty the report"));
        }
    }

    @Override
    public void close() {
        report.close();
    }
}
