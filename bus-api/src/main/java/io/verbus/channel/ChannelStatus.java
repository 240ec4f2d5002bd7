// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.cnc.CounterTypes;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.util.ArrayList;
import java.util.List;

/**
 * The driver's status of a channel, as its counters show it: the state, and the bound local
 * addresses. Thread-safe.
 */
public final class ChannelStatus {
    /** The channel is closed, or has no status counter. */
    public static final int NO_ID_ALLOCATED = -1;

    /** The channel has failed. */
    public static final long ERRORED = -1;

    /** The channel is not open yet. */
    public static final long INITIALIZING = 0;

    /** The channel is open. */
    public static final long ACTIVE = 1;

    /** The channel is closing. */
    public static final long CLOSING = 2;

    /** Status until the driver has reported one, and while there is no driver. */
    public static final ChannelStatus UNKNOWN = new ChannelStatus(null, 0);

    private static final int ADDRESS_LENGTH = Integer.BYTES;
    private static final int ADDRESS = 2 * Integer.BYTES;

    private final CountersReader counters;
    private final int id;

    /**
     * @param counters counters of the driver.
     * @param id id of the status counter; {@link #NO_ID_ALLOCATED} if the channel needs no opening,
     *     0 while unknown.
     */
    public ChannelStatus(CountersReader counters, int id) {
        this.counters = counters;
        this.id = id;
    }

    /** Returns the id of the status counter. */
    public int id() {
        return id;
    }

    /** Returns the state, one of the constants of this class. */
    public long value() {
        if (id == NO_ID_ALLOCATED) {
            return ACTIVE;
        }
        return id > 0 && id <= counters.maxCounterId()
                ? counters.getCounterValue(id)
                : INITIALIZING;
    }

    /** Returns the name of a state, or the number if it is unknown. */
    public static String name(long value) {
        return value == ERRORED
                ? "ERRORED"
                : value == INITIALIZING
                        ? "INITIALIZING"
                        : value == ACTIVE
                                ? "ACTIVE"
                                : value == CLOSING ? "CLOSING" : Long.toString(value);
    }

    /** Returns the name of the state, and the local addresses. */
    @Override
    public String toString() {
        List<String> addresses = localAddresses();
        return name(value()) + (addresses.isEmpty() ? "" : " " + addresses);
    }

    /**
     * Returns the local addresses, such as {@code 10.0.0.1:40123}; empty unless the channel is
     * open.
     */
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
