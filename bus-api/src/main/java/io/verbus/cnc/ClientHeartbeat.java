// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

import io.verbus.release.Release;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Sends a client's heartbeats: stores the time in a counter that the driver creates with the
 * client's first resource, and frees when it drops the client. Used by the client conductor's
 * thread only.
 */
public final class ClientHeartbeat {
    private static final int NONE = -1;

    private final CountersReader counters;
    private final UnsafeBuffer values;
    private final long clientId;
    private final String name;
    private int counterId = NONE;

    /**
     * @param counters counters of the driver.
     * @param clientId id of the client.
     * @param name human-readable name of the client; empty for none. The client appends the name,
     *     its {@link Release} and its process id to the driver's label, as Aeron's clients append
     *     their name and version.
     */
    public ClientHeartbeat(CountersReader counters, long clientId, String name) {
        this.counters = counters;
        this.values = (UnsafeBuffer) counters.valuesBuffer();
        this.clientId = clientId;
        this.name = name;
    }

    /**
     * Stores the time, once the counter exists.
     *
     * @param nowMs current time in milliseconds since the epoch.
     * @return false if the counter no longer belongs to the client: the driver has dropped it.
     */
    public boolean beat(long nowMs) {
        if (counterId == NONE) {
            counterId = find();
            if (counterId != NONE) {
                appendToLabel(" name=" + name + " " + Release.CURRENT.text() + pid());
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

    private static String pid() {
        return " pid=" + ProcessHandle.current().pid();
    }

    /** Appends to the driver's label, which is complete before the counter is allocated. */
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
