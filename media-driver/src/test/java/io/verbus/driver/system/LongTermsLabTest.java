// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A stream whose logs take long to register comes and goes beside one that flows. All agents of
 * each driver share a thread, so that nothing would flow if the conductor waited.
 */
@Tag("lab")
@Tag("slow")
@Timeout(300)
class LongTermsLabTest {
    private static final int PORT = 24_345;
    private static final int MESSAGES = 100;

    @Test
    void aStreamFlowsWhileALongLogIsRegistered() throws Exception {
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
            long came = messagesWhileRegistering(reader, longOut);
            assertTrue(came > 0, "nothing came while a log was registered");
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

    /** The most messages that came within one call that registers a log. */
    private static long messagesWhileRegistering(Reader reader, Publication added) {
        long most = 0;
        long first = -1;
        while (!added.isConnected()) {
            if (!isAnyLogBeingRegistered()) {
                first = -1;
            } else if (first < 0) {
                first = reader.count();
            } else {
                most = Math.max(most, reader.count() - first);
            }
            Thread.onSpinWait();
        }
        return most;
    }

    private static boolean isAnyLogBeingRegistered() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().equals("verbus-memory-calls"))
                .flatMap(each -> Arrays.stream(each.getValue()))
                .anyMatch(
                        frame ->
                                frame.getClassName().endsWith(".MemoryRegion")
                                        && frame.getMethodName().equals("register"));
    }
}
