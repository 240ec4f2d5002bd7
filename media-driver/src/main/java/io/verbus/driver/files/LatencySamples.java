// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.files;

import io.verbus.BusException;
import io.verbus.cnc.HopRecorder;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyHop;
import io.verbus.transport.StreamHops;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

import java.util.concurrent.TimeUnit;

/**
 * Maintains the latency file of a driver that samples. Used by the conductor's thread; each
 * recorder that it creates is used by one agent.
 */
public final class LatencySamples implements AutoCloseable {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    /** Null if the driver does not sample. */
    private final LatencyFile file;

    private final long intervalNs;
    private final NanoClock clock;
    private final ErrorHandler errors;
    private boolean wasFull;

    /**
     * @param directory directory in which the file is created, unless the rate is 0.
     * @param samplesPerSecond maximum number of samples per second of each hop of a stream.
     * @param clock monotonic clock of the conductor.
     * @param errors receives a warning when the file is full.
     */
    public LatencySamples(
            DriverDirectory directory, int samplesPerSecond, NanoClock clock, ErrorHandler errors) {
        boolean isOn = samplesPerSecond > 0;
        file =
                isOn
                        ? LatencyFile.create(
                                directory.path().resolve(LatencyFile.NAME),
                                SystemNanoClock.INSTANCE)
                        : null;
        intervalNs = isOn ? SECOND_NS / samplesPerSecond : 0;
        this.clock = clock;
        this.errors = errors;
    }

    /** Returns the minimum interval between samples of a hop. */
    public long intervalNs() {
        return intervalNs;
    }

    /**
     * Creates the recorder of one hop.
     *
     * @return null if the driver does not sample, or the file is full.
     */
    public HopRecorder add(LatencyFile.Owner owner) {
        HopRecorder recorder = file == null ? null : file.add(owner);
        if (recorder == null && file != null && !wasFull) {
            wasFull = true;
            errors.onError(
                    new BusException(
                            "all "
                                    + LatencyFile.CAPACITY
                                    + " records of the latency file are in use, so the driver does"
                                    + " not sample the hops of further streams: close streams, or"
                                    + " sample on a driver with fewer streams"));
        }
        return recorder;
    }

    /**
     * Creates the sampler of a network stream.
     *
     * @param owner stream and destination that the samples belong to, with the hop between the
     *     drivers.
     * @param reportIntervalNs time within which receivers report what they have consumed.
     * @return null if the driver does not sample, or the file is full.
     */
    public StreamHops addStream(LatencyFile.Owner owner, long reportIntervalNs) {
        HopRecorder sender = add(owner.with(LatencyHop.SENDER));
        HopRecorder wire = sender == null ? null : add(owner);
        HopRecorder subscriber = wire == null ? null : add(owner.with(LatencyHop.SUBSCRIBER));
        if (subscriber == null) {
            remove(sender);
            remove(wire);
            return null;
        }
        return new StreamHops(
                sender, wire, subscriber, intervalNs, reportIntervalNs, clock.nanoTime());
    }

    /** Frees a recorder that its agent no longer uses; null is ignored. */
    public void remove(HopRecorder recorder) {
        if (recorder != null) {
            file.remove(recorder);
            wasFull = false;
        }
    }

    /** Frees a sampler that the sender no longer uses; null is ignored. */
    public void remove(StreamHops hops) {
        if (hops != null) {
            remove(hops.sender());
            remove(hops.wire());
            remove(hops.subscriber());
        }
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
