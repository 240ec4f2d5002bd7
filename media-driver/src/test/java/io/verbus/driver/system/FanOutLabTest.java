// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.ExclusivePublication;
import io.verbus.Image;
import io.verbus.Subscription;
import io.verbus.driver.Await;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** One publication to several destinations over a device. */
@Tag("lab")
@Tag("slow")
@Timeout(300)
class FanOutLabTest {
    private static final int PORT = 24_360;
    private static final int STREAM = 1;
    private static final int TERM = 64 * 1024;

    @TempDir private static Path folder;

    private static ExclusivePublication publish(Host a, String flowControl) {
        return a.connect()
                .addExclusivePublication(
                        "verbus:rdma?control-mode=manual|term-length=64k|fc=" + flowControl,
                        STREAM);
    }

    private static String destination(int port) {
        return Host.overWire("verbus:rdma?endpoint=" + Host.addressB() + ":" + port);
    }

    private static Subscription subscribe(Host b, int port, String... more) {
        return b.connect().addSubscription(b.channel(port, more), STREAM);
    }

    @ParameterizedTest
    @ValueSource(strings = {"min", "tagged,g:7"})
    void deliversEveryMessageToEachDestination(String flowControl) throws Exception {
        int messages = 5_000;
        Script script = Script.upTo(90, 2000);
        try (Host b = Host.b();
                Host c = Host.b();
                Host a = Host.a();
                Tasks tasks = new Tasks();
                ExclusivePublication out = publish(a, flowControl)) {
            // Two endpoints of one driver, and one of another: three connections.
            List<Subscription> all = new ArrayList<>();
            all.add(subscribe(b, PORT, "gtag=7"));
            all.add(subscribe(b, PORT + 1, "gtag=7"));
            all.add(subscribe(c, PORT + 2, "gtag=7"));
            for (int i = 0; i < 3; i++) {
                out.addDestination(destination(PORT + i));
            }
            a.awaitCounter("connected to ", connected -> connected == 1);
            for (Subscription in : all) {
                Reader reader = Reader.fromFirst(script);
                tasks.start(() -> reader.read(in, messages));
            }
            tasks.start(() -> new Writer(out, script).write(messages));
            tasks.join(240);
            assertTrue(out.position() > 6 * TERM, () -> "terms wrapped: " + out.position());
            assertEquals(List.of(0L, 0L, 0L), a.counters("drops of "));
        }
    }

    @Test
    void minWaitsForSlowDestinationUntilRemoved() throws Exception {
        Script script = Script.upTo(91, 1000);
        try (Host b = Host.b();
                Host a = Host.a();
                Tasks tasks = new Tasks();
                ExclusivePublication out = publish(a, "min");
                Subscription fast = subscribe(b, PORT);
                Subscription slow = subscribe(b, PORT + 1)) {
            out.addDestination(destination(PORT));
            out.addDestination(destination(PORT + 1));
            a.awaitCounter("connected to ", connected -> connected == 1);
            Reader reader = Reader.fromFirst(script);
            Writer writer = new Writer(out, script);
            long[] lastNs = {System.nanoTime()};
            reader.poll(
                    fast,
                    "lasting back pressure",
                    () -> {
                        if (writer.offer() > 0) {
                            lastNs[0] = System.nanoTime();
                        }
                        return System.nanoTime() - lastNs[0] > TimeUnit.SECONDS.toNanos(1);
                    });
            assertTrue(out.position() <= TERM + 2000, "position " + out.position());

            Image[] image = new Image[1];
            slow.forEachImage(only -> image[0] = only);
            out.removeDestination(destination(PORT + 1));
            long more = writer.next() + 3000;
            tasks.start(() -> reader.read(fast, more));
            tasks.start(() -> writer.write(more));
            tasks.join(240);
            Reader late = Reader.fromFirst(script);
            late.poll(slow, "its image's end", image[0]::isEndOfStream);
        }
    }

    @Test
    void dropsAndRestartsSlowDestinationWithMax() throws Exception {
        Script script = Script.upTo(92, 1000);
        List<Image> gone = new CopyOnWriteArrayList<>();
        try (Host b = Host.b();
                // For which publishers wait where it is accepted far behind.
                Host a =
                        Host.start(
                                Host.addressA(),
                                builder -> builder.transportOption("rdma.probe-timeout", "10s"));
                Tasks tasks = new Tasks();
                ExclusivePublication out = publish(a, "max");
                Subscription fast = subscribe(b, PORT);
                Subscription slow =
                        b.connect()
                                .addSubscription(
                                        b.channel(PORT + 1), STREAM, image -> {}, gone::add)) {
            a.expect("fell too far behind the other destinations and was dropped");
            out.addDestination(destination(PORT));
            out.addDestination(destination(PORT + 1));
            a.awaitCounter("connected to ", connected -> connected == 1);
            Image[] left = new Image[1];
            Await.until("an image", slow::isConnected);
            slow.forEachImage(only -> left[0] = only);
            Reader reader = Reader.fromFirst(script);
            Writer writer = new Writer(out, script);
            tasks.start(() -> reader.read(fast, 3000));
            tasks.start(() -> writer.write(3000));
            tasks.join(240);
            assertTrue(
                    a.counters("drops of " + Host.addressB() + ":" + (PORT + 1)).getFirst() >= 1);
            Reader first = Reader.fromFirst(script);
            Await.until(
                    "the end of its image",
                    () -> {
                        left[0].poll(first.fragments(), 64);
                        return left[0].isEndOfStream();
                    });
            assertTrue(first.count() < 3000);
            // After it restarts, no message is missing. It may be dropped again.
            Await.until("the image to go", () -> gone.contains(left[0]));
            Map<Image, Reader> anew = new HashMap<>();
            Await.until(
                    "messages of another image",
                    () -> {
                        fast.poll(reader.fragments(), 64);
                        slow.forEachImage(
                                image -> {
                                    Reader second =
                                            anew.computeIfAbsent(
                                                    image, any -> Reader.fromAny(script));
                                    image.poll(second.fragments(), 64);
                                });
                        if (writer.next() < 20_000) {
                            writer.offer();
                        }
                        return anew.values().stream().anyMatch(second -> second.count() > 500);
                    });
        }
    }

    /** A process is killed: the driver waits for its resume timeout, and no longer. */
    @Test
    void continuesWithoutDeadDestination() throws Exception {
        Script script = Script.upTo(93, 1000);
        Path directory =
                Path.of("/dev/shm/verbus-system-test-fan-" + ProcessHandle.current().pid());
        String dead = "verbus:rdma?endpoint=" + Host.addressB() + ":" + (PORT + 1);
        try (Host b = Host.b();
                Host a =
                        Host.start(
                                Host.addressA(),
                                builder ->
                                        builder.transportOption("rdma.resume-timeout", "5s")
                                                .transportOption("rdma.probe-timeout", "10s")
                                                .transportOption("rdma.ack-timeout", "100ms"));
                Child driver =
                        Child.driver(List.of(), folder, directory, "client-liveness-timeout=20s");
                Tasks tasks = new Tasks();
                ExclusivePublication out = publish(a, "min");
                Subscription in = subscribe(b, PORT)) {
            a.expectLoss();
            a.expect("nothing listens at");
            a.expectOfClients("nothing listens at");
            a.expectOfClients("has not resumed within");
            BusContext context =
                    new BusContext()
                            .directoryName(directory.toString())
                            .errorHandler(error -> {})
                            .driverTimeout(Duration.ofSeconds(60));
            long killedNs;
            try (Bus bus = Bus.connect(context)) {
                bus.addSubscription(dead, STREAM);
                out.addDestination(destination(PORT));
                out.addDestination(destination(PORT + 1));
                a.awaitCounter("connected to ", connected -> connected == 1);
                killedNs = System.nanoTime();
                driver.kill();
            }
            Reader reader = Reader.fromFirst(script);
            tasks.start(() -> reader.read(in, 3000));
            tasks.start(() -> new Writer(out, script).write(3000));
            tasks.join(240);
            assertTrue(System.nanoTime() - killedNs > TimeUnit.SECONDS.toNanos(4), "waited for it");
            assertTrue(out.isConnected());
            assertTrue(out.position() > 5 * TERM, () -> "terms wrapped: " + out.position());
        }
    }
}
