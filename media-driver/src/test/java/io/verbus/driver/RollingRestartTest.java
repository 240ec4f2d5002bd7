// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.tools.Verbus;
import io.verbus.driver.udp.UdpInteropTest;
import io.verbus.logbuffer.FragmentHandler;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Driver processes get SIGTERM while messages flow over UDP, and are replaced: each accepted
 * message is read once, in order.
 */
@Timeout(120)
class RollingRestartTest {
    private static final int STREAM = 7;

    @TempDir Path folder;

    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong read = new AtomicLong();
    private volatile boolean isRunning = true;
    private volatile Throwable failure;
    private ChildProcess driverA;
    private ChildProcess driverB;
    private String channel;

    private ChildProcess driver(String name, String... more) {
        String[] arguments = new String[7 + more.length];
        System.arraycopy(
                new String[] {
                    "driver",
                    "--dir",
                    folder.resolve(name).toString(),
                    "--threading",
                    "shared",
                    "--udp.setup-interval",
                    "20ms"
                },
                0,
                arguments,
                0,
                7);
        System.arraycopy(more, 0, arguments, 7, more.length);
        ChildProcess driver = ChildProcess.start(Verbus.class, arguments);
        driver.awaitLine("verbus driver ready");
        return driver;
    }

    private Bus connect(String name) {
        return Bus.connect(
                new BusContext()
                        .directoryName(folder.resolve(name).toString())
                        .driverTimeout(Duration.ofSeconds(30))
                        .errorHandler(error -> {}));
    }

    @AfterEach
    void close() {
        isRunning = false;
        if (driverA != null) {
            driverA.close();
        }
        if (driverB != null) {
            driverB.close();
        }
    }

    private Thread start(Runnable task) {
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                task.run();
                            } catch (Throwable e) {
                                failure = e;
                            }
                        });
    }

    /** Publishes numbers until its driver or the test ends. */
    private void publish() {
        UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
        try (Bus bus = connect("a");
                Publication out = bus.addPublication(channel, STREAM)) {
            while (isRunning) {
                message.putLong(0, accepted.get());
                long result = out.offer(message);
                if (result > 0) {
                    accepted.incrementAndGet();
                    if ((accepted.get() & 63) == 0) {
                        Thread.sleep(1);
                    }
                } else if (result == Publication.CLOSED) {
                    return;
                } else {
                    Thread.onSpinWait();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads numbers until its driver or the test ends. */
    private void subscribe() {
        FragmentHandler handler =
                (buffer, offset, length, header) -> {
                    assertEquals(read.get(), buffer.getLong(offset), "the next number");
                    read.incrementAndGet();
                };
        try (Bus bus = connect("b");
                Subscription in = bus.addSubscription(channel, STREAM)) {
            while (isRunning && !bus.isClosed()) {
                if (in.poll(handler, 100) == 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private void awaitRead(long count) {
        Await.until(
                () -> "message " + count + ", read " + read + ", failure " + failure,
                30,
                () -> failure != null || read.get() >= count);
        assertEquals(null, failure);
    }

    private void launch() throws IOException {
        channel = "verbus:udp?endpoint=127.0.0.1:" + UdpInteropTest.freePort();
        driverA = driver("a");
        driverB = driver("b");
    }

    @Test
    void losesNoAcceptedMessage() throws Exception {
        launch();
        Thread subscriber = start(this::subscribe);
        Thread publisher = start(this::publish);
        awaitRead(2_000);

        assertEquals(0, driverB.terminate());
        subscriber.join(TimeUnit.SECONDS.toMillis(30));
        driverB = driver("b");
        subscriber = start(this::subscribe);
        awaitRead(accepted.get() + 2_000);

        assertEquals(0, driverA.terminate());
        publisher.join(TimeUnit.SECONDS.toMillis(30));
        awaitRead(accepted.get());
        driverA = driver("a");
        publisher = start(this::publish);
        awaitRead(accepted.get() + 2_000);

        isRunning = false;
        publisher.join(TimeUnit.SECONDS.toMillis(30));
        subscriber.join(TimeUnit.SECONDS.toMillis(30));
        assertEquals(null, failure);
    }

    /** After a second signal, a driver does not wait for a subscriber that does not read. */
    @Test
    void closesImmediatelyOnSecondSignal() throws Exception {
        channel = "verbus:ipc";
        driverA = driver("a", "--drain-timeout", "600s");
        try (Bus bus = connect("a");
                Subscription in = bus.addSubscription(channel, STREAM);
                Publication out = bus.addPublication(channel, STREAM)) {
            UnsafeBuffer message = new UnsafeBuffer(new byte[64]);
            Await.until("offered", () -> out.offer(message) > 0);
            Await.until("received", () -> in.imageCount() == 1);
            driverA.signal("TERM");
            Await.until("held back", () -> out.offer(message) == Publication.BACK_PRESSURED);
            assertTrue(driverA.isAlive());
            driverA.signal("TERM");
            driverA.awaitLine("verbus driver: closing before all messages were sent and read");
            assertEquals(0, driverA.awaitExit());
        }
    }
}
