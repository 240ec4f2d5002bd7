// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.DriverPulse;
import io.verbus.cnc.LatencyFile;
import io.verbus.directory.DirectoryTrust;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * Observes the driver of a directory through its CnC file. The next observation finds a driver that
 * has replaced another. Thread-safe; one thread observes at a time.
 */
public final class DriverWatch implements AutoCloseable {
    /**
     * Age of a heartbeat above which the driver counts as dead or stalled: Verbus updates it every
     * few milliseconds, Aeron's drivers once per second.
     */
    public static final long MAX_AGE_MS = 5_000;

    /**
     * State of the driver.
     *
     * @param cnc CnC file of the driver; null if there is none.
     * @param latency latency file of the driver; null if it does not sample.
     * @param ageMs milliseconds since the driver's last heartbeat; -1 if there is no driver.
     * @param failure problem of the driver and its remedy; null while the heartbeat is current.
     */
    public record Look(CncFile cnc, LatencyFile latency, long ageMs, String failure) {
        /** Returns whether the driver's heartbeat is current. */
        public boolean isAlive() {
            return failure == null;
        }
    }

    private final Path directory;
    private final Path file;
    private final DirectoryTrust trust;
    private CncFile cnc;
    private LatencyFile latency;
    private long heartbeat;
    private long changedNs;

    /**
     * @param directory directory of the driver.
     * @param trust determines which accounts' drivers are trusted.
     */
    public DriverWatch(Path directory, DirectoryTrust trust) {
        this.directory = directory;
        this.file = directory.resolve(CncFile.NAME);
        this.trust = trust;
    }

    /**
     * Observes the driver.
     *
     * @param reader reads the state, which is valid only during the call.
     * @return the reader's result.
     */
    public synchronized <T> T look(Function<Look, T> reader) {
        return reader.apply(look(System.currentTimeMillis(), System.nanoTime()));
    }

    private Look look(long nowMs, long nowNs) {
        if (cnc != null && !CncFile.belongsTo(file, cnc.spec())) {
            close();
        }
        try {
            if (cnc == null) {
                open(nowNs);
            }
            if (latency == null) {
                latency = LatencyFile.map(directory.resolve(LatencyFile.NAME), trust);
            }
        } catch (BusException e) {
            return new Look(null, null, -1, e.getMessage());
        }
        long beat = heartbeat();
        if (beat != heartbeat) {
            heartbeat = beat;
            changedNs = nowNs;
        }
        // Uses both clocks: the wall clock may be changed, and the monotonic clock covers only the
        // time since the first observation.
        long ageMs = Math.max((nowNs - changedNs) / 1_000_000, nowMs - beat);
        if (beat == DriverPulse.CLOSED_HEARTBEAT) {
            return new Look(
                    cnc, latency, ageMs, driver() + " has been shut down: start the driver again");
        }
        if (ageMs > MAX_AGE_MS) {
            return new Look(
                    cnc,
                    latency,
                    ageMs,
                    driver()
                            + " has sent no heartbeat for "
                            + ageMs
                            + " ms: if its process is gone, start the driver again; otherwise check"
                            + " what deprives the process of CPU time or memory");
        }
        return new Look(cnc, latency, ageMs, null);
    }

    private void open(long nowNs) {
        if (Files.notExists(file)) { // if this check fails, mapping the file reports why
            throw new BusException(
                    "there is no driver in "
                            + directory
                            + ": start one with `verbus driver --dir "
                            + directory
                            + "`");
        }
        cnc = CncFile.mapToRead(file, trust);
        heartbeat = heartbeat();
        changedNs = nowNs;
    }

    private long heartbeat() {
        return new ManyToOneRingBuffer(cnc.toDriver()).consumerHeartbeatTime();
    }

    private String driver() {
        return "the media driver of " + directory + " (pid " + cnc.spec().pid() + ")";
    }

    @Override
    public synchronized void close() {
        if (cnc != null) {
            cnc.close();
            cnc = null;
        }
        if (latency != null) {
            latency.close();
            latency = null;
        }
    }
}
