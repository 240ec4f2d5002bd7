// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.run.BusUnderTest;

import java.util.Locale;

/** Client library used with Verbus' driver. */
enum Client {
    /** Verbus' client. */
    VERBUS(BusUnderTest.VERBUS),

    /** Aeron's client. */
    AERON(BusUnderTest.AERON_ON_VERBUS);

    private final BusUnderTest bus;

    Client(BusUnderTest bus) {
        this.bus = bus;
    }

    /** Returns the bus that pairs this client with Verbus' driver. */
    BusUnderTest bus() {
        return bus;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
