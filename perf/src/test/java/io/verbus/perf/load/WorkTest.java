// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class WorkTest {
    @Property
    void decodesArgumentsOfWork(
            @ForAll Work.Wire wire,
            @ForAll int processes,
            @ForAll Work.Drivers drivers,
            @ForAll Work.Threading threading,
            @ForAll Work.Idle idle,
            @ForAll Work.Idle driverIdle,
            @ForAll int length,
            @ForAll long messages,
            @ForAll long rate,
            @ForAll Load.Kind kind,
            @ForAll int burst,
            @ForAll int publishers,
            @ForAll Load.Publications publications,
            @ForAll Load.Polling polling) {
        Work work =
                new Work(
                        wire,
                        processes,
                        drivers,
                        length,
                        1408,
                        65536,
                        messages,
                        7,
                        new Load(kind, rate, burst, publishers, 3, publications, polling),
                        threading,
                        idle,
                        driverIdle,
                        "10.0.0.1",
                        "fe80::1%eth0=x",
                        9,
                        "1,0");

        assertEquals(work, Work.parse(work.toArguments()));
    }
}
