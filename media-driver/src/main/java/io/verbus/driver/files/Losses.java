// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.cnc.LossReport;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;

/** Keeps the driver's loss report. Conductor's thread. */
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

    /** Adds what a transport has seen. */
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
                            "the loss report is full, losses of more streams are only counted:"
                                    + " restart the driver to empty it"));
        }
    }

    @Override
    public void close() {
        report.close();
    }
}
