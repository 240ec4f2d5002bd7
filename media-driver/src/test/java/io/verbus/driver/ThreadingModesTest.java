// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.config.DriverConfigBuilder;
import io.verbus.driver.config.ThreadingMode;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.transports.LoopTransport;

import org.agrona.collections.MutableLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

@Timeout(60)
class ThreadingModesTest {
    private static final String IPC = "verbus:ipc";
    private static final String NETWORK = "verbus:rdma?endpoint=localhost:7400";
    private static final int COUNT = 5_000;

    @ParameterizedTest
    @EnumSource(
            value = ThreadingMode.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"INVOKER"})
    void exchangesMessagesInEachThreadedMode(ThreadingMode mode) {
        try (MediaDriver driver = launch(mode)) {
            assertNull(driver.invoker());
            assertEquals(threads(mode), driverThreads());
            exchange(driver, IPC);
            exchange(driver, NETWORK);
            assertEquals(List.of(), Drivers.errors(driver));
        }
        assertEquals(Set.of(), driverThreads());
    }

    @Test
    void invokedDriverRunsOnInvokingThread() throws InterruptedException {
        try (MediaDriver driver = launch(ThreadingMode.INVOKER)) {
            assertNotNull(driver.invoker());
            assertEquals(Set.of(), driverThreads());
            AtomicBoolean isRunning = new AtomicBoolean(true);
            Thread application =
                    new Thread(
                            () -> {
                                while (isRunning.get()) {
                                    driver.invoker().invoke();
                                    Thread.yield();
                                }
                            });
            application.start();
            exchange(driver, IPC);
            exchange(driver, NETWORK);
            isRunning.set(false);
            application.join();
            assertEquals(List.of(), Drivers.errors(driver));
        }
    }

    @Test
    void bindsAgentToCpuAndRejectsMissingCpu() {
        DriverConfigBuilder config = Drivers.config().conductorCpu(0);
        MediaDriver.launchEmbedded(config).close();
        String text =
                Drivers.refusal(
                        () -> MediaDriver.launchEmbedded(Drivers.config().conductorCpu(1023)));
        assertTrue(text.contains("to CPU 1023"), text);
        assertEquals(Set.of(), driverThreads());
    }

    @Test
    void rejectsCpuForAgentWithoutThread() {
        String text =
                Drivers.refusal(
                        () ->
                                Drivers.config()
                                        .threading(ThreadingMode.INVOKER)
                                        .senderCpu(0)
                                        .build());
        assertTrue(text.contains("threading=invoker") && text.contains("remove sender.cpu"), text);
    }

    private static MediaDriver launch(ThreadingMode mode) {
        return MediaDriver.launch(
                Drivers.config().threading(mode).directory(DriverDirectory.uniquePath()).build(),
                List.of(new LoopTransport.Provider()));
    }

    private static Set<String> threads(ThreadingMode mode) {
        return switch (mode) {
            case DEDICATED -> Set.of("verbus-conductor", "verbus-sender", "verbus-receiver");
            case SHARED_NETWORK -> Set.of("verbus-conductor", "verbus-[sender,receiver]");
            case SHARED -> Set.of("verbus-[sender,receiver,conductor]");
            case INVOKER -> Set.of();
        };
    }

    private static Set<String> driverThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.matches("verbus-\\[?(conductor|sender|receiver).*"))
                .collect(Collectors.toSet());
    }

    private static void exchange(MediaDriver driver, String channel) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
        MutableLong received = new MutableLong();
        try (Bus bus = Drivers.connect(driver);
                Subscription subscription = bus.addSubscription(channel, 1);
                Publication publication = bus.addPublication(channel, 1)) {
            MutableLong sent = new MutableLong();
            Await.done(
                    "all received",
                    () -> {
                        message.putLong(0, sent.value);
                        if (sent.value < COUNT && publication.offer(message) > 0) {
                            sent.value++;
                        }
                        subscription.poll(
                                (buffer, offset, length, header) ->
                                        assertEquals(received.value++, buffer.getLong(offset)),
                                10);
                        return received.value == COUNT;
                    });
        }
    }
}
