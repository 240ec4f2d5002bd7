// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.cnc.SystemCounter;
import io.verbus.driver.Await;
import io.verbus.driver.config.DriverConfigBuilder;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Streams between two drivers while the wire is cut and flaps, packets are lost, and subscribers
 * and the subscribers' driver are killed and started again. Every message is verified. What a
 * killed process had not read may be missing where the image of the next one begins; nothing else
 * may.
 *
 * <p>{@code lab/soak} runs it for longer: VERBUS_LAB_SOAK_MINUTES, and VERBUS_LAB_SOAK_SEED for a
 * schedule that was printed before.
 */
@Tag("lab")
@Timeout(value = 25, unit = TimeUnit.HOURS)
@Tag("soak")
class SoakLabTest {
    private static final int PORT = 24_343;

    /** Errors that drivers may record about failing peers and a failing wire. */
    private static final List<String> FAULTS =
            List.of("is lost", "cannot connect to", "has restarted");

    private static final String[] SETTINGS = {
        "client-liveness-timeout=10s",
        "rdma.probe-timeout=5s",
        "rdma.connect-timeout=20s",
        "rdma.half-open-timeout=60s",
        "rdma.resume-timeout=300s"
    };

    /** Number of messages on each stream that prove progress. */
    private static final int PROGRESS = 50;

    private static final int RECOVERY_S = 300;

    private enum Fault {
        CUT,
        FLICKER,
        FLAP,
        LOSS,
        KILL_SUBSCRIBER,
        KILL_DRIVER
    }

    private final long seed = number("VERBUS_LAB_SOAK_SEED", System.nanoTime() & 0xFFFF_FFFFL);
    private final Random random = new Random(seed);
    private final Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    private final Path directoryB =
            Path.of("/dev/shm/verbus-soak-b-" + ProcessHandle.current().pid());
    private final String channel =
            "verbus:rdma?endpoint=" + Host.addressB() + ":" + PORT + SoakStreams.SETTINGS;

    /** Together all streams, one of them twice. */
    private final List<SoakMember> members =
            List.of(
                    new SoakMember("one", List.of(1, SoakStreams.SHARED, 4)),
                    new SoakMember("two", List.of(2, SoakStreams.SHARED)));

    @TempDir private static Path folder;

    private Child driverB;
    private SoakStreams streams;

    private static long number(String variable, long preset) {
        String text = System.getenv(variable);
        return text == null || text.isEmpty() ? preset : Long.parseLong(text);
    }

    @AfterEach
    void end() {
        if (Wire.isHere()) {
            Wire.restore();
        }
        members.forEach(SoakMember::close);
        if (driverB != null) {
            driverB.close();
        }
    }

    @Test
    void losesNothingDespiteFailures() throws Exception {
        Wire.assumeHere();
        long endNs =
                System.nanoTime() + TimeUnit.MINUTES.toNanos(number("VERBUS_LAB_SOAK_MINUTES", 3));
        say("seed " + seed);
        startDriverB();
        members.forEach(member -> member.start(folder, directoryB, channel));
        try (Tasks publishers = new Tasks();
                Host a = Host.start(Host.addressA(), SoakLabTest::set)) {
            FAULTS.forEach(a::expect);
            FAULTS.forEach(a::expectOfClients);
            streams = new SoakStreams(a.connect(), Host.overWire(channel), publishers);
            awaitProgress("at first");
            List<Fault> deck = new ArrayList<>();
            while (System.nanoTime() - endNs < 0) {
                if (deck.isEmpty()) {
                    deck.addAll(Arrays.asList(Fault.values()));
                    deck.removeIf(fault -> fault == Fault.FLAP && !Wire.allowsFlaps());
                    Collections.shuffle(deck, random);
                }
                Fault fault = deck.removeLast();
                boolean lossy = random.nextInt(3) == 0;
                if (lossy) {
                    Wire.lose(1);
                }
                long beganNs = System.nanoTime();
                inject(fault, a.counters());
                Wire.restore();
                awaitProgress("after " + fault);
                faults.merge(fault, 1, Integer::sum);
                say(
                        "%s%s, mended after %d ms: %s"
                                .formatted(
                                        fault,
                                        lossy ? " with packets lost" : "",
                                        (System.nanoTime() - beganNs) / 1_000_000,
                                        totals(a.counters())));
                publishers.check();
            }
            streams.stop();
            publishers.join(60);
            members.forEach(member -> member.awaitAll(streams));
            assertTold(a);
            say("faults " + faults);
            say("gaps   " + members.stream().map(SoakMember::gaps).toList());
            say("A has  " + totals(a.counters()));
            say("streams%n%s".formatted(streams.summary()));
            members.forEach(SoakMember::end);
        }
        ErrorLog.assertOnly(directoryB, FAULTS);
        driverB.terminate();
    }

    private static void set(DriverConfigBuilder builder) {
        for (String setting : SETTINGS) {
            if (setting.startsWith("rdma.")) {
                builder.transportOption(
                        setting.substring(0, setting.indexOf('=')),
                        setting.substring(setting.indexOf('=') + 1));
            }
        }
    }

    private static void say(String line) {
        System.out.println("soak: " + line);
    }

    private static String totals(Counters counters) {
        return counters.sum(": connects")
                + " connects, "
                + counters.sum(": failures")
                + " failures, "
                + counters.sum(": resumes")
                + " resumes";
    }

    private void startDriverB() {
        driverB = Child.rdmaDriver(folder, directoryB, Host.addressB(), SETTINGS);
    }

    private void awaitProgress(String when) {
        List<Long> targets = members.stream().flatMap(m -> m.targets(PROGRESS).stream()).toList();
        Await.until(
                () -> "progress of all streams " + when + " (seed " + seed + "): " + members,
                RECOVERY_S,
                () -> {
                    int i = 0;
                    for (SoakMember member : members) {
                        for (long next : member.next()) {
                            if (next < targets.get(i++)) {
                                return false;
                            }
                        }
                    }
                    return true;
                });
        members.forEach(SoakMember::checkGaps);
    }

    private void inject(Fault fault, Counters a) {
        long failures = a.sum(": failures");
        long resumes = a.sum(": resumes");
        switch (fault) {
            case CUT -> {
                Wire.cut();
                awaitAbove("failures", failures, a);
                pause(3000);
                Wire.restore();
                awaitAbove("resumes", resumes + SoakStreams.IDS.size() - 1, a);
            }
            case FLICKER -> {
                Wire.cut();
                pause(500);
            }
            case FLAP -> Wire.flap(200 + random.nextInt(6000));
            case LOSS -> {
                Wire.lose(1);
                awaitProgress("with packets lost");
                pause(5000);
                awaitProgress("with packets lost");
            }
            case KILL_SUBSCRIBER -> {
                SoakMember victim = members.get(random.nextInt(members.size()));
                try (Counters b = new Counters(directoryB)) {
                    long timedOut = b.system(SystemCounter.CLIENTS_TIMED_OUT);
                    victim.kill();
                    pause(3000);
                    victim.start(folder, directoryB, channel);
                    Await.until(
                            "driver B to count a client that is gone",
                            RECOVERY_S,
                            () -> b.system(SystemCounter.CLIENTS_TIMED_OUT) > timedOut);
                }
            }
            case KILL_DRIVER -> {
                ErrorLog.assertOnly(directoryB, FAULTS);
                driverB.kill();
                members.forEach(SoakMember::awaitDriverLost);
                startDriverB();
                members.forEach(member -> member.start(folder, directoryB, channel));
                awaitAbove("failures", failures, a);
            }
        }
    }

    private void awaitAbove(String label, long value, Counters counters) {
        Await.until(
                () -> label + " above " + value + ", " + totals(counters) + ", seed " + seed,
                RECOVERY_S,
                () -> counters.sum(": " + label) > value);
    }

    private void pause(int maxMillis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(maxMillis)));
    }

    /** Each fault is in the counters of driver A, and in its log. */
    private void assertTold(Host a) {
        int cuts = faults.getOrDefault(Fault.CUT, 0);
        int drivers = faults.getOrDefault(Fault.KILL_DRIVER, 0);
        Counters counters = a.counters();
        assertTrue(counters.sum(": failures") >= cuts + drivers, () -> totals(counters));
        assertTrue(
                counters.sum(": resumes") >= (long) cuts * SoakStreams.IDS.size(),
                () -> totals(counters));
        assertTrue(counters.sum(": connects") > cuts + drivers, () -> totals(counters));
        if (cuts + drivers > 0) {
            a.awaitError("is lost");
        }
        if (drivers > 0) {
            a.awaitError("has restarted");
        }
        assertTrue(streams.isConnected());
    }
}
