// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.BusException;
import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.driver.MediaDriver;
import io.verbus.driver.config.DriverConfig;
import io.verbus.logbuffer.LogLayout;

import org.HdrHistogram.Histogram;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how a client is affected when other clients add and close streams with long terms on the
 * same driver: how long the client waits for responses, for its publisher limit to follow its
 * subscriber, and for the driver's heartbeat.
 */
public final class ComingAndGoing {
    private static final int COMERS = 2;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long ASK_INTERVAL_NS = 20_000_000;
    private static final long SPACE_INTERVAL_NS = 1_000_000;
    private static final long LOOK_INTERVAL_NS = 50_000;
    private static final long MAX_WAIT_NS = 600_000_000_000L;
    private static final double NS_PER_MS = 1e6;
    private static final String HEARTBEAT = "driver heartbeat";
    private static final String OWN = "verbus:ipc?term-length=64k";

    private final int termLength;
    private final Histogram answers = new Histogram(MAX_WAIT_NS, 3);
    private final Histogram limits = new Histogram(MAX_WAIT_NS, 3);
    private final Histogram heartbeats = new Histogram(MAX_WAIT_NS, 3);
    private final AtomicBoolean isRunning = new AtomicBoolean(true);
    private final AtomicLong streams = new AtomicLong();
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[1024]);

    /**
     * @param termLength term length, in bytes, of the streams that are added and closed.
     */
    public ComingAndGoing(int termLength) {
        this.termLength = termLength;
    }

    /**
     * Runs a driver and its clients.
     *
     * @param duration duration of the measurement.
     * @throws BusException if a client loses the driver, or a stream cannot be added.
     */
    public void run(Duration duration) {
        try (MediaDriver driver =
                        MediaDriver.launchEmbedded(
                                DriverConfig.builder().lingerNs(Duration.ofMillis(100).toNanos()));
                Bus bus = connect(driver)) {
            Thread[] threads = new Thread[COMERS + 1];
            for (int i = 0; i < COMERS; i++) {
                int stream = 100 + i;
                threads[i] = start(() -> comeAndGo(driver, stream));
            }
            threads[COMERS] = start(() -> watchHeartbeat(bus));
            try {
                useUntil(bus, System.nanoTime() + duration.toNanos());
            } finally {
                isRunning.set(false);
                for (Thread thread : threads) {
                    join(thread);
                }
            }
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    private static Bus connect(MediaDriver driver) {
        return Bus.connect(
                new BusContext()
                        .directoryName(driver.directory().toString())
                        .driverTimeout(PATIENCE));
    }

    private Thread start(Runnable work) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            try {
                                work.run();
                            } catch (RuntimeException e) {
                                failure.compareAndSet(null, e);
                                isRunning.set(false);
                            }
                        });
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void comeAndGo(MediaDriver driver, int stream) {
        try (Bus bus = connect(driver)) {
            while (isRunning.get()) {
                awaitSpace(driver.directory());
                bus.addExclusivePublication("verbus:ipc?term-length=" + termLength, stream).close();
                streams.incrementAndGet();
            }
        }
    }

    /**
     * Waits for free memory, because closed logs use memory until driver and client have unmapped
     * them.
     */
    private void awaitSpace(Path directory) {
        long needed = 2L * COMERS * LogLayout.fileLength(termLength);
        try {
            while (isRunning.get() && Files.getFileStore(directory).getUsableSpace() < needed) {
                LockSupport.parkNanos(SPACE_INTERVAL_NS);
            }
        } catch (IOException e) {
            throw new BusException("cannot read the free space at " + directory + ": " + e, e);
        }
    }

    private void watchHeartbeat(Bus bus) {
        CountersReader counters = bus.counters();
        int id = heartbeatCounter(counters);
        long last = counters.getCounterValue(id);
        long sinceNs = System.nanoTime();
        while (isRunning.get()) {
            long value = counters.getCounterValue(id);
            long nowNs = System.nanoTime();
            if (value != last) {
                heartbeats.recordValue(Math.min(nowNs - sinceNs, MAX_WAIT_NS));
                last = value;
                sinceNs = nowNs;
            }
            LockSupport.parkNanos(LOOK_INTERVAL_NS);
        }
    }

    private static int heartbeatCounter(CountersReader counters) {
        int[] found = {CountersReader.NULL_COUNTER_ID};
        counters.forEach((id, label) -> found[0] = label.startsWith(HEARTBEAT) ? id : found[0]);
        return found[0];
    }

    private void useUntil(Bus bus, long endNs) {
        long nextAskNs = System.nanoTime();
        try (ExclusivePublication publication = bus.addExclusivePublication(OWN, 1);
                Subscription subscription = bus.addSubscription("verbus:ipc", 1)) {
            while (isRunning.get() && (!publication.isConnected() || !subscription.isConnected())) {
                Thread.onSpinWait();
            }
            while (isRunning.get() && System.nanoTime() - endNs < 0) {
                measureLimit(publication, subscription);
                if (System.nanoTime() - nextAskNs >= 0) {
                    nextAskNs = System.nanoTime() + ASK_INTERVAL_NS;
                    measureAnswer(bus);
                }
            }
        }
    }

    private void measureAnswer(Bus bus) {
        long startNs = System.nanoTime();
        Publication publication = bus.addPublication(OWN, 2);
        answers.recordValue(Math.min(System.nanoTime() - startNs, MAX_WAIT_NS));
        publication.close();
    }

    /** Fills the window, reads everything, and waits for the resulting limit. */
    private void measureLimit(ExclusivePublication publication, Subscription subscription) {
        long result;
        do {
            result = publication.offer(message, 0, message.capacity());
        } while (result > 0 || result == Publication.ADMIN_ACTION);
        if (result != Publication.BACK_PRESSURED) {
            throw new BusException(
                    "unexpected result of an offer: "
                            + result
                            + "; run the"
                            + " measurement again");
        }
        int idlePolls = 0;
        while (idlePolls < 2) { // one poll may find only the end of a term
            int read = subscription.poll((buffer, offset, length, header) -> {}, 1000);
            idlePolls = read > 0 ? 0 : idlePolls + 1;
        }
        long startNs = System.nanoTime();
        while (publication.positionLimit() <= publication.position()) {
            Thread.onSpinWait();
            if (System.nanoTime() - startNs > PATIENCE.toNanos()) {
                throw new BusException("the publisher limit does not advance: see the error log");
            }
        }
        limits.recordValue(Math.min(System.nanoTime() - startNs, MAX_WAIT_NS));
    }

    /** Returns a table of the waiting times. */
    public String table() {
        return String.format(
                        Locale.ROOT,
                        "added and closed %,d streams with terms of %,d"
                                + " bytes%n%n%-34s%10s%10s%10s%10s%n",
                        streams.get(),
                        termLength,
                        "milliseconds",
                        "waits",
                        "p50",
                        "p99",
                        "longest")
                + row("another client's answer", answers)
                + row("its publisher limit", limits)
                + row("from heartbeat to heartbeat", heartbeats);
    }

    private static String row(String name, Histogram waits) {
        return String.format(
                Locale.ROOT,
                "%-34s%,10d%10.2f%10.2f%10.2f%n",
                name,
                waits.getTotalCount(),
                waits.getValueAtPercentile(50) / NS_PER_MS,
                waits.getValueAtPercentile(99) / NS_PER_MS,
                waits.getMaxValue() / NS_PER_MS);
    }

    /** Returns the longest interval between heartbeats of the driver in nanoseconds. */
    public long longestHeartbeatNs() {
        return heartbeats.getMaxValue();
    }
}
