// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.Position;
import org.agrona.concurrent.status.UnsafeBufferPosition;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Allocates the counters that operators see. Conductor's thread; who writes a counter's value
 * depends on the counter.
 */
final class DriverCounters {
    /**
     * A freed counter is not used again for so long at least: a client that was given up while it
     * was stopped may still write to it before it notices.
     */
    private static final long MIN_REUSE_MS = TimeUnit.SECONDS.toMillis(10);

    private static final int MAX_LABEL = 360;
    private static final int MAX_KEY = Long.BYTES + 2 * Integer.BYTES;

    private final CountersManager counters;
    private final UnsafeBuffer values;
    private final AtomicCounter[] system;
    private final UnsafeBuffer key = new UnsafeBuffer(new byte[MAX_KEY]);

    DriverCounters(CncFile cnc, EpochClock clock) {
        long livenessMs = TimeUnit.NANOSECONDS.toMillis(cnc.spec().clientLivenessTimeoutNs());
        values = cnc.counterValues();
        counters =
                new CountersManager(
                        cnc.counterMetadata(),
                        values,
                        StandardCharsets.UTF_8,
                        clock,
                        Math.max(MIN_REUSE_MS, 2 * livenessMs));
        SystemCounter[] all = SystemCounter.values();
        system = new AtomicCounter[all.length];
        for (SystemCounter counter : all) {
            system[counter.ordinal()] =
                    counters.newCounter(
                            counter.label(),
                            CounterTypes.SYSTEM,
                            buffer -> buffer.putInt(0, counter.ordinal()));
        }
    }

    AtomicCounter system(SystemCounter counter) {
        return system[counter.ordinal()];
    }

    /**
     * Allocates a counter of a stream.
     *
     * @throws BusException if there is none left.
     */
    AtomicCounter stream(
            int typeId, long registrationId, int sessionId, int streamId, String label) {
        key.putLong(0, registrationId);
        key.putInt(Long.BYTES, sessionId);
        key.putInt(Long.BYTES + Integer.BYTES, streamId);
        return allocate(typeId, MAX_KEY, label);
    }

    /**
     * Allocates the counter that a subscriber writes its position to.
     *
     * @throws BusException if there is none left.
     */
    Position position(int typeId, long registrationId, int sessionId, int streamId, String label) {
        int id = stream(typeId, registrationId, sessionId, streamId, label).id();
        return new UnsafeBufferPosition(values, id, counters);
    }

    /**
     * Allocates a counter of one client, connection or the like.
     *
     * @throws BusException if there is none left.
     */
    AtomicCounter of(int typeId, long registrationId, String label) {
        key.putLong(0, registrationId);
        return allocate(typeId, Long.BYTES, label);
    }

    private AtomicCounter allocate(int typeId, int keyLength, String label) {
        byte[] bytes = label.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, MAX_LABEL);
        try {
            return counters.newCounter(
                    typeId, key, 0, keyLength, new UnsafeBuffer(bytes), 0, length);
        } catch (IllegalStateException | IllegalArgumentException e) {
            throw new BusException(
                    "all "
                            + counters.capacity()
                            + " counters of the driver are in use: raise counter-values-length",
                    e);
        }
    }
}
