// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A stream whose logs take long to register comes and goes beside an active one. All agents of each
 * driver share a thread, so a waiting conductor would stop the traffic.
 */
@Tag("lab")
@Tag("soak")
@Timeout(300)
class LongTermsLabTest {
    private static final int PORT = 24_345;
    private static final int MESSAGES = 100;
    private static final long LOOK_NS = 1_000_000;

    @Test
    void carriesStreamWhileLongLogIsRegistered() throws Exception {
        Script script = Script.of(60, 256);
        AtomicBoolean isOver = new AtomicBoolean();
        try (Host b = Host.b();
                Host a = Host.a();
                Tasks tasks = new Tasks()) {
            String shortTerms = b.channel(PORT, "term-length=64k");
            String longTerms = b.channel(PORT, "term-length=128m");
            Subscription in = b.connect().addSubscription(Host.received(shortTerms), 1);
            Publication out = a.connect().addPublication(Host.overWire(shortTerms), 1);
            Reader reader = Reader.fromFirst(script);
            Writer writer = new Writer(out, script);
            tasks.start(() -> reader.poll(in, "the end of the test", isOver::get));
            tasks.start(
                    () -> {
                        while (!isOver.get()) {
                            writer.offer();
                            Thread.yield();
                        }
                    });
            Await.until("the first stream to flow", () -> reader.count() > MESSAGES);

            Script other = Script.upTo(61, 4096);
            Subscription longIn = b.connect().addSubscription(Host.received(longTerms), 2);
            Publication longOut = a.connect().addPublication(Host.overWire(longTerms), 2);
            assertEquals(Set.of("verbus-rdma-calls"), threadsThatRegisterLogsUntil(longOut));
            Reader otherReader = Reader.fromFirst(other);
            tasks.start(() -> otherReader.poll(longIn, "the end of the test", isOver::get));
            new Writer(longOut, other).write(MESSAGES);
            Await.until("all to be read", () -> otherReader.count() == MESSAGES);
            longOut.close();
            Await.until("its end", longIn::hasNoImages);
            long before = reader.count();
            Await.until("the first stream to go on", () -> reader.count() > before + MESSAGES);
            isOver.set(true);
            tasks.join(120);
        }
    }

    /** Names of the threads seen registering a log until a publication is connected. */
    private static Set<String> threadsThatRegisterLogsUntil(Publication added) {
        Set<String> names = new TreeSet<>();
        while (!added.isConnected()) {
            Thread.getAllStackTraces()
                    .forEach(
                            (thread, stack) -> {
                                if (isRegisteringALog(stack)) {
                                    names.add(thread.getName());
                                }
                            });
            LockSupport.parkNanos(LOOK_NS);
        }
        return names;
    }

    private static boolean isRegisteringALog(StackTraceElement[] stack) {
        return Arrays.stream(stack).anyMatch(frame -> frame.getMethodName().equals("register"))
                && Arrays.stream(stack)
                        .anyMatch(frame -> frame.getClassName().contains(".LogRegistration"));
    }
}
