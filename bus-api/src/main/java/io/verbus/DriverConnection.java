// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.cnc.ClientLocks;
import io.verbus.cnc.CncFile;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.broadcast.BroadcastReceiver;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** The CnC file of a live driver, and what is in it. */
final class DriverConnection implements AutoCloseable {
    private static final long RETRY_NS = 5_000_000;

    private final Path file;
    private final CncFile cnc;
    private final RingBuffer toDriver;
    private final BroadcastReceiver toClients;
    private final CountersReader counters;
    private ClientLocks lock;
    private final long driverTimeoutMs;
    private final EpochClock clock = SystemEpochClock.INSTANCE;

    private DriverConnection(Path file, CncFile cnc, long driverTimeoutMs) {
        this.file = file;
        this.cnc = cnc;
        this.driverTimeoutMs = driverTimeoutMs;
        toDriver = new ManyToOneRingBuffer(cnc.toDriver());
        toClients = new BroadcastReceiver(cnc.toClients());
        counters = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
    }

    /**
     * Waits for a live driver.
     *
     * @throws BusException with what was found last, if there is none in time.
     */
    static DriverConnection open(Bus.Context context) {
        Path file = context.directory().resolve(CncFile.NAME);
        long timeoutNs = context.driverTimeout.toNanos();
        long start = System.nanoTime();
        while (true) {
            context.invokeDriver();
            BusException failure;
            DriverConnection driver = null;
            try {
                driver = new DriverConnection(file, CncFile.map(file), timeoutNs / 1_000_000);
                failure = driver.failure();
            } catch (BusException e) {
                failure = e;
            }
            if (failure == null) {
                return driver;
            }
            if (driver != null) {
                driver.close();
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
            LockSupport.parkNanos(RETRY_NS);
        }
    }

    /** Why the driver is not, or no longer, alive; null if it is. */
    DriverLostException failure() {
        long heartbeat = toDriver.consumerHeartbeatTime();
        long age = clock.time() - heartbeat;
        if (age > driverTimeoutMs) {
            return new DriverLostException(
                    "the media driver of "
                            + file
                            + " (pid "
                            + cnc.spec().pid()
                            + ") has given no sign of life for "
                            + (heartbeat == 0 ? "as long as the file is there" : age + " ms")
                            + ": start a media driver with this driver directory");
        }
        if (!CncFile.belongsTo(file, cnc.spec().driverId())) {
            return new DriverLostException(
                    "the media driver of "
                            + file
                            + " (pid "
                            + cnc.spec().pid()
                            + ") has stopped or was restarted: connect again once it runs");
        }
        return null;
    }

    Path directory() {
        return file.getParent();
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
            close();
            throw e;
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
