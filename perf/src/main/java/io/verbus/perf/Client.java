// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf;

import io.verbus.perf.run.BusUnderTest;

import java.util.Locale;

/** Whose client uses Verbus' driver. */
enum Client {
    /** Verbus'. */
    VERBUS(BusUnderTest.VERBUS),

    /** Aeron's. */
    AERON(BusUnderTest.AERON_ON_VERBUS);

    private final BusUnderTest bus;

    Client(BusUnderTest bus) {
        this.bus = bus;
    }

    /** The client on Verbus' driver. */
    BusUnderTest bus() {
        return bus;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
