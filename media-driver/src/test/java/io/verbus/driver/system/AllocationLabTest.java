// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;

import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.config.ThreadingMode;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

/** In steady state no message causes an allocation, on any thread that it passes. */
@Tag("lab")
@Timeout(240)
@Tag("slow")
class AllocationLabTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 20_000;
    private static final int MESSAGES = 60_000;

    /**
     * Bytes on a thread for what the JVM does now and then: half a byte a message. The smallest
     * object in each message would be a megabyte.
     */
    private static final long SLACK = 32 * 1024;

    private final CyclicBarrier steps = new CyclicBarrier(3);

    @Test
    void threadsAllocateNothingPerMessage() throws Exception {
        try (Host b = start(Host.addressB());
                Host a = start(Host.addressA());
                Tasks tasks = new Tasks()) {
            String channel = b.channel(24_332, "term-length=64k");
            Subscription in = b.connect().addSubscription(Host.received(channel), 1);
            Publication out = a.connect().addPublication(Host.overWire(channel), 1);
            // Some messages are reassembled from fragments.
            Script script = Script.upTo(50, out.maxMessageLength());
            tasks.run(
                    () -> {
                        Thread.currentThread().setName("verbus-publisher");
                        Writer writer = new Writer(out, script).write(WARM_UP);
                        step();
                        step();
                        writer.write(WARM_UP + MESSAGES);
                        step();
                        return step();
                    });
            tasks.run(
                    () -> {
                        Thread.currentThread().setName("verbus-subscriber");
                        Reader reader = Reader.fromFirst(script);
                        reader.read(in, WARM_UP);
                        step();
                        step();
                        reader.read(in, WARM_UP + MESSAGES);
                        step();
                        return step();
                    });
            step();
            Map<String, Long> before = allocated();
            step();
            step();
            Map<String, Long> after = allocated();
            step();
            tasks.join(60);

            // Publisher and subscriber, and of each driver sender and receiver.
            assertEquals(6, after.size(), after::toString);
            assertEquals(before.keySet(), after.keySet());
            after.forEach(
                    (thread, bytes) -> {
                        long more = bytes - before.get(thread);
                        assertTrue(more < SLACK, () -> thread + " allocated " + more + " bytes");
                    });
        }
    }

    private static Host start(String address) {
        return Host.start(address, settings -> settings.threading(ThreadingMode.DEDICATED));
    }

    private int step() throws Exception {
        return steps.await(200, TimeUnit.SECONDS);
    }

    private static Map<String, Long> allocated() {
        Map<String, Long> bytes = new TreeMap<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().matches("verbus-(sender|receiver|publisher|subscriber)")) {
                bytes.put(
                        thread.getName() + " " + thread.threadId(),
                        THREADS.getThreadAllocatedBytes(thread.threadId()));
            }
        }
        return bytes;
    }
}
