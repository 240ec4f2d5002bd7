// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.cnc.CncFile;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;

import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/** The counters of a driver, from its directory. */
final class Counters implements AutoCloseable {
    private final CncFile cnc;
    private final CountersReader reader;

    Counters(Path directory) {
        cnc = CncFile.map(directory.resolve(CncFile.NAME));
        reader = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
    }

    /** Values of the counters whose label contains the text. */
    List<Long> values(String label) {
        List<Long> values = new ArrayList<>();
        reader.forEach(
                (id, text) -> {
                    if (text.contains(label)) {
                        values.add(reader.getCounterValue(id));
                    }
                });
        return values;
    }

    /** Sum of the counters whose label contains the text. */
    long sum(String label) {
        return values(label).stream().mapToLong(Long::longValue).sum();
    }

    /** Value of a counter of the driver itself, which it must have. */
    long system(SystemCounter counter) {
        int id = counter.ordinal();
        assertEquals(counter.label(), reader.getCounterLabel(id));
        return reader.getCounterValue(id);
    }

    /** When the driver was last seen to live, in milliseconds since the epoch. */
    long heartbeat() {
        return new ManyToOneRingBuffer(cnc.toDriver()).consumerHeartbeatTime();
    }

    /** Waits until all counters with the label, and there is one, have such a value. */
    void await(String label, LongPredicate right) {
        Await.until(
                () -> "counter '" + label + "', whose values are " + values(label),
                30,
                () -> {
                    List<Long> values = values(label);
                    return !values.isEmpty() && values.stream().allMatch(right::test);
                });
    }

    @Override
    public void close() {
        cnc.close();
    }
}
