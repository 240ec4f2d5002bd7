// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;

/** What the threads of a DEDICATED driver's agents allocate; the only driver of this process. */
final class AgentAllocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Map<String, Long> ids = new TreeMap<>();
    private final Map<String, Long> before;

    /** Begins to count. */
    AgentAllocation() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().matches("verbus-(conductor|sender|receiver)")) {
                ids.put(thread.getName(), thread.threadId());
            }
        }
        assertEquals(3, ids.size(), ids.toString());
        before = allocated();
    }

    private Map<String, Long> allocated() {
        Map<String, Long> bytes = new TreeMap<>();
        ids.forEach((name, id) -> bytes.put(name, THREADS.getThreadAllocatedBytes(id)));
        return bytes;
    }

    /** Fails if an agent has allocated so many bytes, or more, since the count began. */
    void assertBelow(long bytes) {
        allocated()
                .forEach(
                        (name, now) -> {
                            long more = now - before.get(name);
                            assertTrue(more < bytes, name + " allocated " + more + " bytes");
                        });
    }
}
