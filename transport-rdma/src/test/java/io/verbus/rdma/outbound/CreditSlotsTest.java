// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.sim.SimDomain;
import io.verbus.rdma.sim.SimNetwork;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class CreditSlotsTest {
    private static final int REFUSALS = 40_000;
    private static final long KIB = 1024;

    private final SimDomain domain = new SimDomain(new SimNetwork(1));

    /** If refused blocks of 4 KiB each leaked, 160 MiB would remain. */
    @Test
    void freesMemoryOfBlockThatCannotBeRegistered() throws IOException {
        CreditSlots slots = new CreditSlots();
        domain.refuse("cannot pin memory");
        for (int i = 0; i < REFUSALS / 10; i++) {
            assertThrows(FabricException.class, () -> slots.register(domain));
        }
        long before = residentBytes();
        for (int i = 0; i < REFUSALS; i++) {
            try {
                slots.register(domain);
            } catch (FabricException refused) {
                continue;
            }
            throw new AssertionError("not refused");
        }
        long grown = residentBytes() - before;
        assertTrue(grown < 100 * KIB * KIB, grown + " bytes");
        domain.refuse(null);
        assertNull(slots.take());
        slots.add(slots.register(domain));
        assertEquals(0, slots.take().address() % 64);
        slots.release();
        assertEquals(0, domain.regions());
    }

    /** A peer that can still write to the memory must not overwrite other data. */
    @Test
    void keepsMemoryThatDeviceStillHolds() {
        CreditSlots slots = new CreditSlots();
        slots.add(slots.register(domain));
        CreditSlots.Slot slot = slots.take();
        slot.buffer().putLong(0, 4711);
        domain.keepRegions();
        slots.release();
        assertEquals(0, domain.regions(), "closed, whatever the device says");
        CreditSlots next = new CreditSlots();
        for (int i = 0; i < 1_000; i++) {
            if (i % 64 == 0) {
                next.add(next.register(domain));
            }
            next.take().buffer().putLong(0, i);
        }
        assertEquals(4711, slot.buffer().getLong(0));
    }

    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * KIB;
            }
        }
        throw new AssertionError("no VmRSS in /proc/self/status");
    }
}
