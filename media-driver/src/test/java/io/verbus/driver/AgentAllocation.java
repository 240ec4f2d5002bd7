// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;

/** Bytes allocated by the agent threads of the process's only driver, which must be DEDICATED. */
public final class AgentAllocation {
    private static final int GOES = 3;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Map<String, Long> ids = new TreeMap<>();
    private final Map<String, Long> before;

    /** Starts counting. */
    private AgentAllocation() {
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

    /**
     * Fails if in each of three goes an agent allocates so many bytes, or more. What is compiled,
     * loaded or linked in the meantime is not a message's doing, and does not come again and again.
     *
     * @param bytes that a go may cost.
     * @param go of many messages.
     */
    public static void assertBelow(long bytes, Runnable go) {
        Map<String, Long> most = Map.of();
        for (int i = 0; i < GOES; i++) {
            AgentAllocation allocation = new AgentAllocation();
            go.run();
            most = allocation.sinceBegin();
            if (most.values().stream().allMatch(each -> each < bytes)) {
                return;
            }
        }
        throw new AssertionError("bytes allocated in the last of " + GOES + " goes: " + most);
    }

    private Map<String, Long> sinceBegin() {
        Map<String, Long> bytes = allocated();
        bytes.replaceAll((name, now) -> now - before.get(name));
        return bytes;
    }
}
