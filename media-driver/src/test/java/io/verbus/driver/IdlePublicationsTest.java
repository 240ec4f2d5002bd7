// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.cnc.CncFile;
import io.verbus.cnc.CncSpec;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.agent.CycleTimes;
import io.verbus.driver.agent.DriverClock;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.driver.share.ShareLimits;
import io.verbus.driver.share.Shares;
import io.verbus.driver.status.DriverCounters;
import io.verbus.driver.status.DriverFailure;
import io.verbus.driver.status.ErrorReports;
import io.verbus.driver.status.ErrorSink;
import io.verbus.driver.status.LogFaults;
import io.verbus.driver.subscription.Subscribable;
import io.verbus.transport.Instructions;

import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Cost of idle publications per duty cycle: a real conductor and client, but the test drives the
 * measured cycles, with one microsecond of test time between them.
 */
@Timeout(120)
@Tag("alone")
class IdlePublicationsTest {
    private static final long CYCLE_NS = 1000;

    /** More than the step of the limit for a term of 64 KiB. */
    private static final int BURST = 17 * 1024;

    private final DriverConfig config =
            Drivers.config().directory(DriverDirectory.uniquePath()).build();
    private final DriverDirectory directory = DriverDirectory.open(config.directory());
    private final CncFile cnc =
            CncFile.create(
                    directory.path().resolve(CncFile.NAME),
                    new CncSpec(
                            1,
                            System.currentTimeMillis(),
                            ProcessHandle.current().pid(),
                            config.clientLivenessTimeoutNs(),
                            config.toDriverLength(),
                            config.toClientsLength(),
                            config.counterValuesLength(),
                            config.errorLogLength(),
                            false));
    private final DriverFailure failure = new DriverFailure();
    private final ErrorReports reports = new ErrorReports(failure);
    private final DriverParts parts = parts();
    private final Conductor conductor =
            new Conductor(
                    parts,
                    new LogFaults(Throwable::printStackTrace),
                    CycleTimes.of(config, parts.counters()).conductor());
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[1024]);
    private final List<Publication> publications = new ArrayList<>();
    private final List<Subscription> subscriptions = new ArrayList<>();
    private Bus bus;
    private long nowNs = System.nanoTime();

    private DriverParts parts() {
        DriverClock clock = new DriverClock();
        DriverCounters counters =
                new DriverCounters(cnc, clock, new Shares(new ShareLimits(100, Map.of())));
        DistinctErrorLog log =
                new DistinctErrorLog(
                        cnc.errorLog(), SystemEpochClock.INSTANCE, StandardCharsets.UTF_8);
        ErrorSink errors =
                new ErrorSink(
                        log,
                        counters.system(SystemCounter.ERRORS),
                        Throwable::printStackTrace,
                        reports,
                        failure);
        return DriverParts.assemble(
                config, directory, cnc, List.of(), clock, counters, () -> {}, null, errors);
    }

    @AfterEach
    void close() {
        if (bus != null) {
            bus.close();
        }
        conductor.onClose();
        reports.close();
        cnc.close();
        directory.close();
    }

    /** Creates streams up to the given number, while the conductor runs on its own thread. */
    private void connect(int count) throws InterruptedException {
        Await.until("the test's time has come", () -> System.nanoTime() - nowNs >= 0);
        AtomicBoolean isRunning = new AtomicBoolean(true);
        Thread thread =
                new Thread(
                        () -> {
                            while (isRunning.get()) {
                                conductor.doWork();
                                Thread.yield();
                            }
                        });
        thread.start();
        try {
            if (bus == null) {
                cnc.publish();
                bus = Bus.connect(new BusContext().directoryName(config.directory().toString()));
            }
            for (int stream = publications.size(); stream < count; stream++) {
                subscriptions.add(bus.addSubscription("verbus:ipc", stream));
                publications.add(bus.addPublication("verbus:ipc", stream));
            }
            Await.until(
                    "all connected",
                    () ->
                            publications.stream().allMatch(Publication::isConnected)
                                    && subscriptions.stream().allMatch(Subscription::isConnected));
        } finally {
            isRunning.set(false);
            thread.join();
        }
        nowNs = System.nanoTime();
    }

    /** A duty cycle of the conductor for the publications. */
    private void cycle(long ns) {
        nowNs += ns;
        parts.publications().update(nowNs);
    }

    /** Lets all publications become idle. */
    private void rest() {
        cycle(Subscribable.IDLE_AFTER_NS + 1);
        for (int i = 0; i <= publications.size(); i++) {
            cycle(CYCLE_NS);
        }
    }

    /** Publishes and reads enough to raise the limit. */
    private void exchange(int stream) {
        for (int sent = 0; sent < BURST; sent += message.capacity()) {
            assertTrue(publications.get(stream).offer(message) > 0);
        }
        read(stream);
    }

    private void read(int stream) {
        while (subscriptions.get(stream).poll((buffer, offset, length, header) -> {}, 100) > 0) {
            // Until there is no more work.
        }
    }

    private int raised(long[] before) {
        int count = 0;
        for (int i = 0; i < before.length; i++) {
            count += publications.get(i).positionLimit() > before[i] ? 1 : 0;
        }
        return count;
    }

    private long[] limits() {
        return publications.stream().mapToLong(Publication::positionLimit).toArray();
    }

    @Tag("slow")
    @Test
    @Tag("instructions")
    void checksOneIdlePublicationPerCycle() throws InterruptedException {
        double oneNs = 0;
        for (int count : new int[] {1, 100, 1000}) {
            connect(count);
            rest();
            double cycleNs = cycleNs();
            System.out.println(count + " idle publications: " + cycleNs + " ns a cycle");
            oneNs = count == 1 ? cycleNs : oneNs;
            Instructions.assertFlat(oneNs, cycleNs, count + " publications");
            for (int stream = 0; stream < count; stream++) {
                exchange(stream);
            }
            long[] before = limits();
            for (int raised = 1; raised <= count; raised++) {
                cycle(CYCLE_NS);
                assertEquals(raised, raised(before));
            }
        }
    }

    /** Measures until several parts in a row are not faster: until everything is compiled. */
    private double cycleNs() {
        double fastestNs = Double.MAX_VALUE;
        int slower = 0;
        while (slower < 20) {
            long startNs = System.nanoTime();
            for (int i = 0; i < 1000; i++) {
                cycle(CYCLE_NS);
            }
            double partNs = (System.nanoTime() - startNs) / 1000.0;
            slower = partNs < 0.99 * fastestNs ? 0 : slower + 1;
            fastestNs = Math.min(fastestNs, partNs);
        }
        return fastestNs;
    }

    @Test
    void raisesLimitOfBlockedPublisherImmediately() throws InterruptedException {
        connect(100);
        Publication full = publications.get(50);
        while (full.offer(message) != Publication.BACK_PRESSURED) {
            // Until it is back-pressured.
        }
        rest();
        long[] before = limits();
        read(50);
        cycle(CYCLE_NS);
        assertTrue(full.positionLimit() > before[50]);
    }

    @Test
    void freesClosedPublicationAmongManyIdle() throws InterruptedException {
        connect(100);
        rest();
        publications.get(50).close();
        AtomicCounter count = parts.counters().system(SystemCounter.PUBLICATIONS);
        Await.until(
                "freed",
                () -> {
                    conductor.doWork();
                    return count.get() == 99;
                });
    }
}
