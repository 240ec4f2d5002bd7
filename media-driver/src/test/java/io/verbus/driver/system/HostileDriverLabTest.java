// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.logbuffer.FragmentHandler;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A hostile driver does all that it can to two drivers which serve an honest pair at the same time:
 * as a publisher to the one that subscribes, and as a subscriber to the one that publishes. The
 * pair's messages are all verified, nothing is left over, and what was done is told.
 *
 * <p>The seconds that it goes on are the system property {@code verbus.hostile.seconds}, 20 unless
 * it is set.
 */
@Tag("lab")
@Tag("kernel")
@Timeout(600)
@Tag("slow")
class HostileDriverLabTest {
    private static final int PORT = 24_351;
    private static final int HOSTILE_PORT = 24_352;
    private static final int GOOD_STREAM = 1;
    private static final int BAD_STREAM = 2;
    private static final long PACE_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final String TO_B =
            "rdma to " + Host.addressB() + ":" + PORT + " from " + Host.addressA();

    private final long seconds = Long.getLong("verbus.hostile.seconds", 20);
    private final long seed = Long.getLong("verbus.hostile.seed", System.nanoTime());
    private final Random order = new Random(seed);
    private final Script script = Script.upTo(20, 1000);
    private final AtomicBoolean attacking = new AtomicBoolean(true);
    private final AtomicBoolean running = new AtomicBoolean(true);

    private static Host host(String address) {
        Host host =
                Host.start(
                        address,
                        builder ->
                                builder.transportOption("rdma.max-half-open", "16")
                                        .transportOption("rdma.half-open-timeout", "10s")
                                        .transportOption("rdma.max-image-memory", "32m")
                                        .transportOption("rdma.max-streams", "100")
                                        .transportOption("rdma.resume-timeout", "2s"));
        List.of(
                        "violated the protocol",
                        "is lost",
                        "is not a Verbus driver",
                        "supports version",
                        "they did not offer a stream",
                        "has rejected the image",
                        "rdma.max-image-memory",
                        "cannot accept a connection",
                        "cannot connect to",
                        "rejected the stream",
                        "was refused",
                        "has not resumed",
                        "has ended the image",
                        "has ended: the frame at position",
                        "cannot resume")
                .forEach(host::expect);
        List.of(
                        "the frame at position",
                        "has rejected",
                        "violated the protocol",
                        "cannot connect to",
                        "is lost",
                        "has not resumed",
                        "has ended the image",
                        "rejected the stream")
                .forEach(host::expectOfClients);
        return host;
    }

    @Test
    void hostileDriverHarmsNoOtherDriver() throws Exception {
        System.out.println("hostile for " + seconds + " s, seed " + seed);
        try (Host b = host(Host.addressB());
                Host a = host(Host.addressA());
                Tasks tasks = new Tasks()) {
            String channel = b.channel(PORT, "term-length=64k");
            Bus publisher = a.connect();
            Bus subscriber = b.connect();
            try (Subscription in = subscriber.addSubscription(Host.received(channel), GOOD_STREAM);
                    Publication out =
                            publisher.addPublication(Host.overWire(channel), GOOD_STREAM)) {
                Writer writer = new Writer(out, script);
                Reader reader = Reader.fromFirst(script);
                tasks.start(() -> write(writer));
                tasks.start(() -> reader.poll(in, "the end", () -> !running.get()));
                Await.until("the honest pair", () -> reader.count() > 100);

                Bus victims = b.connect();
                attack(0, publisher, victims, a, b);
                Resources before = settled(a, b);
                System.out.println("held before: " + before);
                attack(seconds, publisher, victims, a, b);
                awaitEqual(before, a, b);
                long written = writer.next();
                Await.until("more of the pair", () -> reader.count() > written + 1000);
                stop();
                tasks.join(60);
                reader.read(in, writer.next());
                assertEquals(List.of(0L), a.counters(TO_B + ": failures"));
                assertEquals(List.of(1L), a.counters(TO_B + ": connects"));
            } finally {
                stop();
            }
            assertTold(a, b);
        }
    }

    /** Attacks with each act once, and repeats until the time has passed. */
    private void attack(long seconds, Bus publisher, Bus victims, Host a, Host b) throws Exception {
        attacking.set(true);
        try (Tasks tasks = new Tasks();
                Subscription bad =
                        victims.addSubscription(
                                Host.received(b.channel(PORT, "term-length=64k")), BAD_STREAM);
                Publication victim =
                        publisher.addPublication(
                                Host.overWire(b.channel(HOSTILE_PORT, "term-length=64k")),
                                BAD_STREAM)) {
            tasks.start(() -> suffer(bad, victim));
            tasks.start(this::subscribe);
            publish(seconds, tasks);
            attacking.set(false);
            tasks.join(60);
        }
    }

    private void stop() {
        attacking.set(false);
        running.set(false);
    }

    private void write(Writer writer) {
        while (running.get()) {
            writer.write(writer.next() + 1);
            LockSupport.parkNanos(PACE_NS);
        }
    }

    /** The victims: a subscription to the hostile driver, and a publication to it. */
    private void suffer(Subscription bad, Publication victim) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[100]);
        FragmentHandler anything = (buffer, offset, length, header) -> {};
        while (attacking.get()) {
            bad.poll(anything, 10);
            victim.offer(message, 0, message.capacity());
            LockSupport.parkNanos(PACE_NS);
        }
    }

    private void subscribe() {
        try (HostileSubscriber hostile =
                new HostileSubscriber(seed, Host.addressB(), HOSTILE_PORT)) {
            while (attacking.get()) {
                hostile.work();
                LockSupport.parkNanos(PACE_NS);
            }
            System.out.println(hostile.connections() + " connections of a publisher abused");
        }
    }

    private void publish(long seconds, Tasks tasks) {
        HostilePublisher hostile = new HostilePublisher(seed, Host.addressB(), PORT, BAD_STREAM);
        List<HostilePublisher.Act> acts =
                new ArrayList<>(Arrays.asList(HostilePublisher.Act.values()));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        int rounds = 0;
        do {
            round(tasks, hostile, acts);
            rounds++;
        } while (System.nanoTime() - end < 0);
        System.out.println(rounds + " rounds of " + acts.size() + " acts");
    }

    private void round(Tasks tasks, HostilePublisher hostile, List<HostilePublisher.Act> acts) {
        Collections.shuffle(acts, order);
        for (HostilePublisher.Act act : acts) {
            try {
                hostile.act(act);
                tasks.check();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("after " + act + ", seed " + seed, e);
            }
        }
    }

    /** Held resources once none has been released for some seconds. */
    private static Resources settled(Host a, Host b) {
        Resources[] last = {Resources.now(a.directory(), b.directory())};
        long[] since = {System.nanoTime()};
        Await.until(
                "nothing more to be released",
                60,
                () -> {
                    Resources now = Resources.now(a.directory(), b.directory());
                    if (!now.equals(last[0])) {
                        last[0] = now;
                        since[0] = System.nanoTime();
                    }
                    LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
                    return System.nanoTime() - since[0] > TimeUnit.SECONDS.toNanos(4);
                });
        return last[0];
    }

    private static void awaitEqual(Resources before, Host a, Host b) {
        Await.until(
                () ->
                        "what is held to be as before, "
                                + before
                                + ", but it is "
                                + Resources.now(a.directory(), b.directory()),
                60,
                () -> {
                    LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
                    return Resources.now(a.directory(), b.directory()).equals(before);
                });
    }

    private static void assertTold(Host a, Host b) {
        assertTrue(
                b.counters("protocol violations by publishing drivers").getFirst() > 3,
                "violations of publishers");
        assertTrue(
                b.counters("connections closed without offering a stream").getFirst() > 3,
                "half-open connections");
        for (String told :
                List.of(
                        "violated the protocol",
                        "is not a Verbus driver",
                        "supports version",
                        "they did not offer a stream")) {
            assertTrue(
                    b.errors().stream().anyMatch(error -> error.contains(told)),
                    () -> told + " is not in " + b.errors());
        }
        assertTrue(
                a.errors().stream().anyMatch(error -> error.contains("violated the protocol")),
                () -> a.errors().toString());
    }
}
