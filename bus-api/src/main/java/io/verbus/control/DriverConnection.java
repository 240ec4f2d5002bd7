// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.BusException;
import io.verbus.DriverLostException;
import io.verbus.channel.ChannelUri;
import io.verbus.cnc.ClientLocks;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.DriverPulse;
import io.verbus.directory.DirectoryTrust;
import io.verbus.logbuffer.LogBuffers;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.broadcast.BroadcastReceiver;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.agrona.concurrent.status.CountersReader;

import java.nio.file.Path;

/** The CnC file of a driver, and what is in it. */
public final class DriverConnection implements AutoCloseable {
    private final Path file;
    private final CncFile cnc;
    private final DirectoryTrust trust;
    private final RingBuffer toDriver;
    private final BroadcastReceiver toClients;
    private final CountersReader counters;
    private final DriverPulse pulse;
    private ClientLocks lock;

    DriverConnection(Path file, CncFile cnc, DirectoryTrust trust, long driverTimeoutNs) {
        this.file = file;
        this.cnc = cnc;
        this.trust = trust;
        pulse = new DriverPulse(file, cnc, driverTimeoutNs, System.nanoTime());
        toDriver = new ManyToOneRingBuffer(cnc.toDriver());
        toClients = new BroadcastReceiver(cnc.toClients());
        counters = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
    }

    /** Why the driver is not alive; null if it is. */
    public DriverLostException failure() {
        String failure = pulse.failure(System.nanoTime());
        return failure == null ? null : new DriverLostException(failure);
    }

    /** Whether the driver was seen to live since this was made. */
    boolean hasBeaten() {
        return pulse.hasBeaten();
    }

    /** Says what may be wrong with a driver that was not seen to live yet. */
    String silence() {
        return pulse.silence(System.nanoTime());
    }

    /** Whether another connection is to the same driver. */
    boolean isToSame(DriverConnection other) {
        return cnc.spec().equals(other.cnc.spec());
    }

    /** Whether the file is still the one of the directory. */
    boolean isInDirectory() {
        return CncFile.belongsTo(file, cnc.spec());
    }

    /**
     * Makes the driver's ids go on behind those of another, so that no id of this client means two
     * things.
     *
     * @param id that is not to be given out any more.
     */
    void skipIdsTo(long id) {
        UnsafeBuffer buffer = cnc.toDriver();
        int counter =
                buffer.capacity()
                        - RingBufferDescriptor.TRAILER_LENGTH
                        + RingBufferDescriptor.CORRELATION_COUNTER_OFFSET;
        long next = buffer.getLongVolatile(counter);
        if (next <= id) {
            buffer.getAndAddLong(counter, id + 1 - next);
        }
    }

    /** Directory of the driver. */
    public Path directory() {
        return file.getParent();
    }

    /**
     * Maps a log that the driver has named.
     *
     * @throws BusException if it cannot be mapped, or is not to be trusted.
     */
    public LogBuffers mapLog(String logFile, boolean readOnly) {
        return LogBuffers.map(directory(), Path.of(logFile), readOnly, trust);
    }

    /** Whether the driver may let a subscriber go that is too slow. */
    public boolean mayLetGo(ChannelUri channel) {
        return !channel.withTether(!cnc.spec().letsGo(), true).tether().isTethered();
    }

    /** Commands. */
    public RingBuffer toDriver() {
        return toDriver;
    }

    /** Events. */
    public BroadcastReceiver toClients() {
        return toClients;
    }

    /** Counters. */
    public CountersReader counters() {
        return counters;
    }

    /**
     * Tells the driver that this process may write to its memory as long as this is open, however
     * long it stands still.
     */
    public void hold(long clientId) {
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
