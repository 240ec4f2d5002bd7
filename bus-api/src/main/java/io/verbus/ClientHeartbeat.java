// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.cnc.CounterTypes;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Tells the driver that a client lives: by the time in a counter that the driver makes with the
 * first thing that the client adds, and takes away when it gives the client up. Client conductor's.
 */
final class ClientHeartbeat {
    private static final int NONE = -1;

    private final CountersReader counters;
    private final UnsafeBuffer values;
    private final long clientId;
    private int counterId = NONE;

    ClientHeartbeat(CountersReader counters, long clientId) {
        this.counters = counters;
        this.values = (UnsafeBuffer) counters.valuesBuffer();
        this.clientId = clientId;
    }

    /**
     * Stores the time, once there is the counter.
     *
     * @param nowMs since the epoch.
     * @return false if the counter was there and is another's now: the driver has given the client
     *     up.
     */
    boolean beat(long nowMs) {
        if (counterId == NONE) {
            counterId = find();
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
