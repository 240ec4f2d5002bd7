// SPDX-License-Identifier: Apache-2.0

package io.verbus.cnc;

/** A part of a message's path whose duration a driver samples. */
public enum LatencyHop {
    /**
     * From the time when the sender first sees committed bytes that it may send, to sending them.
     */
    SENDER("sender"),
    /** From posting bytes to a device, to the acknowledgement by the peer's device. */
    FABRIC("fabric"),
    /** From a query to the peer's driver or device, to its answer. */
    ROUND_TRIP("round-trip"),
    /** From the arrival of bytes at the peer, to their consumption by its slowest subscriber. */
    SUBSCRIBER("subscriber"),
    /** From the claim of bytes in an IPC log, to their consumption by its slowest subscriber. */
    CONSUMPTION("consumption");

    private static final LatencyHop[] ALL = values();

    private final String text;

    LatencyHop(String text) {
        this.text = text;
    }

    /** Returns the hop with an ordinal; null if there is none. */
    static LatencyHop of(int ordinal) {
        return ordinal >= 0 && ordinal < ALL.length ? ALL[ordinal] : null;
    }

    /** Returns the name in lower case, as in tables and metrics. */
    @Override
    public String toString() {
        return text;
    }
}
