// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.Idling;
import io.verbus.driver.config.ThreadingMode;

import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

@Tag("lab")
@Tag("slow")
@Timeout(240)
class ThreadingLabTest {
    private static final int PORT = 24_331;
    private static final int MESSAGES = 20_000;

    private final Script script = Script.upTo(40, 1000);

    @ParameterizedTest
    @EnumSource(
            value = ThreadingMode.class,
            names = {"INVOKER"},
            mode = EnumSource.Mode.EXCLUDE)
    void carriesStreamInEachThreadingMode(ThreadingMode threading) throws Exception {
        try (Host b = start(Host.addressB(), threading);
                Host a = start(Host.addressA(), threading);
                Tasks tasks = new Tasks()) {
            String channel = b.channel(PORT, "term-length=64k");
            Subscription in = b.connect().addSubscription(Host.received(channel), 1);
            Publication out = a.connect().addPublication(Host.overWire(channel), 1);
            tasks.start(() -> Reader.fromFirst(script).read(in, MESSAGES));
            tasks.start(() -> new Writer(out, script).write(MESSAGES));
            tasks.join(200);
        }
    }

    private static Host start(String address, ThreadingMode threading) {
        return Host.start(address, settings -> settings.threading(threading));
    }

    /** Each host is one thread, which runs its driver, its client, and its own work. */
    @Test
    void carriesStreamBetweenInvokedDrivers() throws Exception {
        Path directoryA = Path.of("/dev/shm/verbus-system-test-invoked-a");
        Path directoryB = Path.of("/dev/shm/verbus-system-test-invoked-b");
        String channel =
                "verbus:rdma?endpoint=" + Host.addressB() + ":" + PORT + "|term-length=64k";
        AtomicBoolean listening = new AtomicBoolean();
        AtomicBoolean ended = new AtomicBoolean();
        try (Tasks tasks = new Tasks()) {
            tasks.start(
                    () -> {
                        try (Invoked b = new Invoked(directoryB)) {
                            Subscription in = b.bus.addSubscription(Host.received(channel), 1);
                            listening.set(true);
                            Reader reader = Reader.fromFirst(script);
                            while (reader.count() < MESSAGES || !in.hasNoImages()) {
                                b.work(in.poll(reader.fragments(), 64));
                            }
                            ended.set(true);
                        }
                    });
            tasks.start(
                    () -> {
                        try (Invoked a = new Invoked(directoryA)) {
                            Await.until("the subscriber to listen", listening::get);
                            Publication out = a.bus.addPublication(Host.overWire(channel), 1);
                            Writer writer = new Writer(out, script);
                            while (writer.next() < MESSAGES) {
                                a.work(writer.offer() > 0 ? 1 : 0);
                            }
                            out.close();
                            while (!ended.get()) {
                                a.work(0);
                            }
                        }
                    });
            tasks.join(200);
        }
    }

    /** A driver and a client without threads: the host's thread does everything. */
    private static final class Invoked implements AutoCloseable {
        private final MediaDriver driver;
        private final AgentInvoker invoker;
        private final IdleStrategy idle = new BackoffIdleStrategy();
        final Bus bus;

        Invoked(Path directory) {
            driver =
                    MediaDriver.launch(
                            Host.patient()
                                    .directory(directory)
                                    .threading(ThreadingMode.INVOKER)
                                    .idling(Idling.NOOP)
                                    .build());
            invoker = driver.invoker();
            bus =
                    Bus.connect(
                            new BusContext()
                                    .directoryName(directory.toString())
                                    .driverTimeout(Host.PATIENCE)
                                    .driverAgentInvoker(invoker));
        }

        void work(int done) {
            idle.idle(done + invoker.invoke() + bus.conductorAgentInvoker().invoke());
        }

        @Override
        public void close() {
            bus.close();
            ErrorLog.assertOnly(driver.directory(), List.of());
            driver.close();
        }
    }
}
