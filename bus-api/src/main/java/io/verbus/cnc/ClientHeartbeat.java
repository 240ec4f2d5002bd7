// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import io.verbus.release.Release;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Tells the driver that a client lives: by the time in a counter that the driver makes with the
 * first thing that the client adds, and takes away when it gives the client up. One thread, the
 * client conductor's.
 */
public final class ClientHeartbeat {
    private static final int NONE = -1;

    private final CountersReader counters;
    private final UnsafeBuffer values;
    private final long clientId;
    private final String name;
    private int counterId = NONE;

    /**
     * @param counters of the driver.
     * @param clientId of the client.
     * @param name of the client for people, empty for none. Behind the driver's label, where
     *     Aeron's clients put theirs, go the name and this client's {@link Release}.
     */
    public ClientHeartbeat(CountersReader counters, long clientId, String name) {
        this.counters = counters;
        this.values = (UnsafeBuffer) counters.valuesBuffer();
        this.clientId = clientId;
        this.name = name;
    }

    /**
     * Stores the time, once there is the counter.
     *
     * @param nowMs since the epoch.
     * @return false if the counter was there and is another's now: the driver has given the client
     *     up.
     */
    public boolean beat(long nowMs) {
        if (counterId == NONE) {
            counterId = find();
            if (counterId != NONE) {
                appendToLabel(" name=" + name + " " + Release.CURRENT.text());
            }
        }
        if (counterId == NONE) {
            return true;
        }
        if (!isOurs(counterId)) {
            return false;
        }
        values.putLongRelease(CountersReader.counterOffset(counterId), nowMs);
        return true;
    }

    /** Behind what the driver has written, which is there before the counter is. */
    private void appendToLabel(String text) {
        AtomicBuffer metadata = counters.metaDataBuffer();
        int label = CountersReader.metaDataOffset(counterId) + CountersReader.LABEL_OFFSET;
        int length = Math.clamp(metadata.getInt(label), 0, CountersReader.MAX_LABEL_LENGTH);
        int room = CountersReader.MAX_LABEL_LENGTH - length;
        int count = Math.min(text.length(), room);
        metadata.putStringWithoutLengthAscii(label + Integer.BYTES + length, text, 0, count);
        metadata.putIntRelease(label, length + count);
    }

    private int find() {
        for (int id = 0; id <= counters.maxCounterId(); id++) {
            if (isOurs(id)) {
                return id;
            }
            if (counters.getCounterState(id) == CountersReader.RECORD_UNUSED) {
                break;
            }
        }
        return NONE;
    }

    private boolean isOurs(int id) {
        int key = CountersReader.metaDataOffset(id) + CountersReader.KEY_OFFSET;
        return counters.getCounterState(id) == CountersReader.RECORD_ALLOCATED
                && counters.getCounterTypeId(id) == CounterTypes.CLIENT_HEARTBEAT
                && counters.metaDataBuffer().getLong(key) == clientId;
    }
}
