// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.status;

import io.verbus.BusException;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CounterTypes;

import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.Position;
import org.agrona.concurrent.status.UnsafeBufferPosition;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Allocates the counters that operators see. Conductor's thread; the writer of a counter's value
 * depends on the counter.
 */
public final class DriverCounters {
    /** A freed counter is not used again for so long at least, whatever wrote it. */
    private static final long MIN_COOLING_NS = TimeUnit.SECONDS.toNanos(10);

    private static final int MAX_LABEL = 360;
    private static final int MAX_KEY = Long.BYTES + 2 * Integer.BYTES;

    private final CounterPool counters;
    private final UnsafeBuffer values;
    private final AtomicCounter[] system;
    private final UnsafeBuffer key = new UnsafeBuffer(new byte[MAX_KEY]);

    public DriverCounters(CncFile cnc, EpochClock clock) {
        values = cnc.counterValues();
        counters =
                new CounterPool(
                        cnc.counterMetadata(),
                        values,
                        clock,
                        Math.max(MIN_COOLING_NS, 2 * cnc.spec().clientLivenessTimeoutNs()));
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

    public AtomicCounter system(SystemCounter counter) {
        return system[counter.ordinal()];
    }

    /** The counters, for what decides when a freed one may be used again. */
    public CounterPool pool() {
        return counters;
    }

    /**
     * Allocates a counter of a stream, which the driver writes.
     *
     * @throws BusException if there is none left.
     */
    public AtomicCounter stream(
            int typeId, long registrationId, int sessionId, int streamId, String label) {
        CounterShare share =
                typeId == CounterTypes.RECEIVER_POSITION
                        ? CounterShare.IMAGES
                        : CounterShare.CLIENTS;
        putKey(registrationId, sessionId, streamId);
        return allocate(share, CounterPool.NO_OWNER, typeId, MAX_KEY, label);
    }

    /**
     * Allocates the counter that a subscriber writes its position to.
     *
     * @param share that the counter is taken from.
     * @param clientId of the subscriber's client.
     * @param subscriptionId registration id of the subscription.
     * @param channel of the subscription.
     * @param sessionId of the stream.
     * @param streamId of the stream.
     * @throws BusException if there is none left.
     */
    public Position position(
            CounterShare share,
            long clientId,
            long subscriptionId,
            String channel,
            int sessionId,
            int streamId) {
        putKey(subscriptionId, sessionId, streamId);
        String label =
                "subscriber position: stream " + streamId + " session " + sessionId + " " + channel;
        int id = allocate(share, clientId, CounterTypes.SUBSCRIBER_POSITION, MAX_KEY, label).id();
        return new UnsafeBufferPosition(values, id, counters);
    }

    /**
     * Allocates a counter of one client, connection or the like.
     *
     * @throws BusException if there is none left.
     */
    public AtomicCounter of(int typeId, long registrationId, String label) {
        boolean isClients = typeId == CounterTypes.CLIENT_HEARTBEAT;
        CounterShare share =
                typeId == CounterTypes.CONNECTION ? CounterShare.CONNECTIONS : CounterShare.CLIENTS;
        key.putLong(0, registrationId);
        long owner = isClients ? registrationId : CounterPool.NO_OWNER;
        return allocate(share, owner, typeId, Long.BYTES, label);
    }

    private void putKey(long registrationId, int sessionId, int streamId) {
        key.putLong(0, registrationId);
        key.putInt(Long.BYTES, sessionId);
        key.putInt(Long.BYTES + Integer.BYTES, streamId);
    }

    private AtomicCounter allocate(
            CounterShare share, long owner, int typeId, int keyLength, String label) {
        byte[] bytes = label.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, MAX_LABEL);
        UnsafeBuffer text = new UnsafeBuffer(bytes, 0, length);
        return counters.allocate(share, owner, typeId, key, keyLength, text);
    }
}
