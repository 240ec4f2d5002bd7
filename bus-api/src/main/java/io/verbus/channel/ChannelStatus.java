// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.cnc.CounterTypes;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.util.ArrayList;
import java.util.List;

/**
 * How a driver gets on with a channel, as its counters tell: the state, and the local addresses
 * that are bound. Any thread.
 */
public final class ChannelStatus {
    /** The channel is closed, or has no counter that tells its state. */
    public static final int NO_ID_ALLOCATED = -1;

    /** The channel cannot be used. */
    public static final long ERRORED = -1;

    /** The channel is not open yet. */
    public static final long INITIALIZING = 0;

    /** The channel is open. */
    public static final long ACTIVE = 1;

    /** The channel is being closed. */
    public static final long CLOSING = 2;

    /** Until the driver has told, and while there is none. */
    public static final ChannelStatus UNKNOWN = new ChannelStatus(null, 0);

    private static final int ADDRESS_LENGTH = Integer.BYTES;
    private static final int ADDRESS = 2 * Integer.BYTES;

    private final CountersReader counters;
    private final int id;

    /**
     * @param counters of the driver.
     * @param id of the counter that tells the state; {@link #NO_ID_ALLOCATED} where nothing has to
     *     be opened, 0 while it is not known.
     */
    public ChannelStatus(CountersReader counters, int id) {
        this.counters = counters;
        this.id = id;
    }

    /** Id of the counter. */
    public int id() {
        return id;
    }

    /** The state: one of the constants here. */
    public long value() {
        if (id == NO_ID_ALLOCATED) {
            return ACTIVE;
        }
        return id > 0 && id <= counters.maxCounterId()
                ? counters.getCounterValue(id)
                : INITIALIZING;
    }

    /** Name of a state: that of its constant here, or the number if there is none. */
    public static String name(long value) {
        return value == ERRORED
                ? "ERRORED"
                : value == INITIALIZING
                        ? "INITIALIZING"
                        : value == ACTIVE
                                ? "ACTIVE"
                                : value == CLOSING ? "CLOSING" : Long.toString(value);
    }

    /** Name of the state, and the local addresses. */
    @Override
    public String toString() {
        List<String> addresses = localAddresses();
        return name(value()) + (addresses.isEmpty() ? "" : " " + addresses);
    }

    /** The local addresses, such as {@code 10.0.0.1:40123}; none where nothing is open. */
    public List<String> localAddresses() {
        List<String> addresses = new ArrayList<>();
        if (id > 0 && value() == ACTIVE) {
            counters.forEach(
                    (counterId, typeId, key, label) -> {
                        if (typeId == CounterTypes.LOCAL_ADDRESS
                                && key.getInt(0) == id
                                && counters.getCounterValue(counterId) == ACTIVE) {
                            addresses.add(address(key));
                        }
                    });
        }
        return addresses;
    }

    private static String address(DirectBuffer key) {
        int length = Math.clamp(key.getInt(ADDRESS_LENGTH), 0, key.capacity() - ADDRESS);
        return key.getStringWithoutLengthAscii(ADDRESS, length);
    }
}
