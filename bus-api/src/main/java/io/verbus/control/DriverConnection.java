// SPDX-License-Identifier: Apache-2.0

package io.verbus.control;

import io.verbus.BusException;
import io.verbus.DriverLostException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.DerivedChannels;
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

/** A connection to a driver through its CnC file. */
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

    /** Returns why the driver is not alive, or null if it is. */
    public DriverLostException failure() {
        String failure = pulse.failure(System.nanoTime());
        return failure == null ? null : new DriverLostException(failure);
    }

    /** Returns whether the driver has sent a heartbeat since this connection was created. */
    boolean hasBeaten() {
        return pulse.hasBeaten();
    }

    /** Explains what may be wrong with a driver that has not sent a heartbeat yet. */
    String silence() {
        return pulse.silence(System.nanoTime());
    }

    /** Returns whether another connection leads to the same driver. */
    boolean isToSame(DriverConnection other) {
        return cnc.spec().equals(other.cnc.spec());
    }

    /** Returns whether the directory still contains this file. */
    boolean isInDirectory() {
        return CncFile.belongsTo(file, cnc.spec());
    }

    /**
     * Advances the driver's ids past those of another driver, so that each id of this client is
     * unique.
     *
     * @param id highest id that must not be assigned again.
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

    /** Returns the driver directory. */
    public Path directory() {
        return file.getParent();
    }

    /**
     * Maps a log that the driver has named.
     *
     * @throws BusException if the log cannot be mapped or is not trusted.
     */
    public LogBuffers mapLog(String logFile, boolean readOnly) {
        return LogBuffers.map(directory(), Path.of(logFile), readOnly, trust);
    }

    /** Returns whether the driver may detach a subscriber on the channel for being too slow. */
    public boolean mayLetGo(ChannelUri channel) {
        return !DerivedChannels.withTether(channel, !cnc.spec().letsGo(), true)
                .tether()
                .isTethered();
    }

    /** Returns the ring buffer for commands. */
    public RingBuffer toDriver() {
        return toDriver;
    }

    /** Returns the receiver of events. */
    public BroadcastReceiver toClients() {
        return toClients;
    }

    /** Returns the driver's counters. */
    public CountersReader counters() {
        return counters;
    }

    /**
     * Takes a lock that shows the driver that this process may write to its memory until this
     * connection is closed, even if the process is suspended.
     */
    public void hold(long clientId) {
        try {
            lock = ClientLocks.hold(directory(), clientId);
        } catch (BusException e) {
            DriverLostException lost = failure(); // a driver deletes the file when it stops
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
