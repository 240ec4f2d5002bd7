// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import org.agrona.MutableDirectBuffer;
import org.agrona.collections.IntHashSet;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.status.CountersManager;

import java.util.function.Consumer;

/**
 * Counters that detect a write to a freed counter, which in a driver could change the counter that
 * reuses its space.
 */
final class TestCounters extends CountersManager {
    private static final long FREED = 0x0F2E_ED00_0F2E_ED00L;

    private final IntHashSet freed = new IntHashSet();

    TestCounters(AtomicBuffer metadata, AtomicBuffer values) {
        super(metadata, values);
    }

    @Override
    public int allocate(String label, int typeId) {
        return allocated(super.allocate(label, typeId));
    }

    @Override
    public int allocate(String label, int typeId, Consumer<MutableDirectBuffer> key) {
        return allocated(super.allocate(label, typeId, key));
    }

    private int allocated(int id) {
        freed.remove(id);
        return id;
    }

    @Override
    public void free(int id) {
        super.free(id);
        valuesBuffer.putLongVolatile(counterOffset(id), FREED);
        freed.add(id);
    }

    /** Checks that no freed counter was written. */
    void check() {
        for (int id : freed) {
            if (valuesBuffer.getLongVolatile(counterOffset(id)) != FREED) {
                String label = metaDataBuffer.getStringAscii(metaDataOffset(id) + LABEL_OFFSET);
                throw new AssertionError("counter was written after it was freed: " + label);
            }
        }
    }
}
