// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.metrics;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.DriverPulse;
import io.verbus.directory.DirectoryTrust;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * The driver of a directory as its CnC file shows it, whichever driver that is: one that starts in
 * the place of another is found at the next look. Any thread; one looks at a time.
 */
public final class DriverWatch implements AutoCloseable {
    /**
     * A heartbeat that is older says that the driver is dead or stalled: Verbus' heart beats every
     * few milliseconds, that of Aeron's drivers once a second.
     */
    public static final long MAX_AGE_MS = 5_000;

    /**
     * What was seen.
     *
     * @param cnc of the driver; null if there is none.
     * @param ageMs milliseconds since the driver's heart beat last; -1 if there is no driver.
     * @param failure what is wrong with the driver and the remedy; null while its heart beats.
     */
    public record Look(CncFile cnc, long ageMs, String failure) {
        /** Whether the driver's heart beats. */
        public boolean isAlive() {
            return failure == null;
        }
    }

    private final Path directory;
    private final Path file;
    private final DirectoryTrust trust;
    private CncFile cnc;
    private long heartbeat;
    private long changedNs;

    /**
     * @param directory of the driver.
     * @param trust that decides whose driver is believed.
     */
    public DriverWatch(Path directory, DirectoryTrust trust) {
        this.directory = directory;
        this.file = directory.resolve(CncFile.NAME);
        this.trust = trust;
    }

    /**
     * Looks at the driver.
     *
     * @param reader of what was seen, valid during the call.
     * @return what the reader returns.
     */
    public synchronized <T> T look(Function<Look, T> reader) {
        return reader.apply(look(System.currentTimeMillis(), System.nanoTime()));
    }

    private Look look(long nowMs, long nowNs) {
        if (cnc != null && !CncFile.belongsTo(file, cnc.spec())) {
            close();
        }
        if (cnc == null) {
            try {
                open(nowNs);
            } catch (BusException e) {
                return new Look(null, -1, e.getMessage());
            }
        }
        long beat = heartbeat();
        if (beat != heartbeat) {
            heartbeat = beat;
            changedNs = nowNs;
        }
        // Both clocks: the wall's may be set, and the monotonic one knows only what was seen.
        long ageMs = Math.max((nowNs - changedNs) / 1_000_000, nowMs - beat);
        if (beat == DriverPulse.CLOSED_HEARTBEAT) {
            return new Look(cnc, ageMs, driver() + " has been shut down: start it again");
        }
        if (ageMs > MAX_AGE_MS) {
            return new Look(
                    cnc,
                    ageMs,
                    driver()
                            + " has given no sign of life for "
                            + ageMs
                            + " ms: if its process is gone start it again, else see what keeps it"
                            + " from processors and memory");
        }
        return new Look(cnc, ageMs, null);
    }

    private void open(long nowNs) {
        if (Files.notExists(file)) { // not where that cannot be told: mapping says why
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
    }
}
