// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.ClientLocks;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.DriverPulse;
import io.verbus.directory.DirectoryTrust;
import io.verbus.logbuffer.LogBuffers;

import org.agrona.concurrent.broadcast.BroadcastReceiver;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** The CnC file of a live driver, and what is in it. */
final class DriverConnection implements AutoCloseable {
    private static final long RETRY_NS = 5_000_000;
    private static final long LOOK_NS = 1_000_000;

    private final Path file;
    private final CncFile cnc;
    private final DirectoryTrust trust;
    private final RingBuffer toDriver;
    private final BroadcastReceiver toClients;
    private final CountersReader counters;
    private final DriverPulse pulse;
    private ClientLocks lock;

    private DriverConnection(Path file, CncFile cnc, DirectoryTrust trust, long driverTimeoutNs) {
        this.file = file;
        this.cnc = cnc;
        this.trust = trust;
        pulse = new DriverPulse(file, cnc, driverTimeoutNs, System.nanoTime());
        toDriver = new ManyToOneRingBuffer(cnc.toDriver());
        toClients = new BroadcastReceiver(cnc.toClients());
        counters = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
    }

    /**
     * Waits for a live driver: one whose heart is seen to beat.
     *
     * @throws BusException with what was found last, if there is none in time.
     */
    static DriverConnection open(Bus.Context context) {
        Path file = context.directory().resolve(CncFile.NAME);
        DirectoryTrust trust = context.trust();
        long timeoutNs = context.driverTimeout.toNanos();
        long start = System.nanoTime();
        DriverConnection driver = null;
        while (true) {
            context.invokeDriver();
            BusException failure;
            try {
                if (driver == null) {
                    driver = new DriverConnection(file, CncFile.map(file, trust), trust, timeoutNs);
                }
                failure = driver.failure();
                if (failure != null) {
                    driver.close();
                    driver = null;
                } else if (driver.pulse.hasBeaten()) {
                    return driver;
                } else {
                    failure = new DriverLostException(driver.pulse.silence(System.nanoTime()));
                }
            } catch (BusException e) {
                failure = e;
            }
            if (System.nanoTime() - start > timeoutNs) {
                throw new DriverTimeoutException(
                        "cannot connect within "
                                + timeoutNs / 1_000_000
                                + " ms: "
                                + failure.getMessage(),
                        failure);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new BusException("interrupted while connecting to the driver of " + file);
            }
            LockSupport.parkNanos(driver == null ? RETRY_NS : LOOK_NS);
        }
    }

    /** Why the driver is not alive; null if it is. */
    DriverLostException failure() {
        String failure = pulse.failure(System.nanoTime());
        return failure == null ? null : new DriverLostException(failure);
    }

    Path directory() {
        return file.getParent();
    }

    /**
     * Maps a log that the driver has named.
     *
     * @throws BusException if it cannot be mapped, or is not to be trusted.
     */
    LogBuffers mapLog(String logFile, boolean readOnly) {
        return LogBuffers.map(directory(), Path.of(logFile), readOnly, trust);
    }

    /** Whether the driver may let a subscriber go that is too slow. */
    boolean mayLetGo(ChannelUri channel) {
        return !channel.withTether(!cnc.spec().letsGo(), true).tether().isTethered();
    }

    RingBuffer toDriver() {
        return toDriver;
    }

    BroadcastReceiver toClients() {
        return toClients;
    }

    CountersReader counters() {
        return counters;
    }

    /**
     * Tells the driver that this process may write to its memory as long as this is open, however
     * long it stands still.
     */
    void hold(long clientId) {
        try {
            lock = ClientLocks.hold(directory(), clientId);
        } catch (BusException e) {
            DriverLostException lost = failure(); // the file goes with the driver
            close();
            throw lost == null ? e : lost;
        }
    }

    @Override
    public void close() {
        cnc.close();
        if (lock != null) {
            lock.close();
        }
    }
}
