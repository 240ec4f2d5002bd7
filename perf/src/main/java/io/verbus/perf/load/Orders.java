// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** What a worker is told on its input, and how it answers on its output: lines, a word first. */
final class Orders {
    /**
     * Between the parts of a run a worker polls so seldom, and leaves the processors to others: a
     * turn of a driver takes long enough in an emulator to show in what is measured meanwhile.
     */
    private static final long PAUSED_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long PROGRESS_INTERVAL_MS = 1000;

    private final PrintStream out;
    private final BlockingQueue<String> orders = new LinkedBlockingQueue<>();

    /** Threads that pause now and then. */
    private final Set<Thread> pausing = ConcurrentHashMap.newKeySet();

    /** Written by the threads that take orders, read by those that measure. */
    private volatile boolean active;

    /** Written by the threads that take orders, read by those that measure. */
    private volatile boolean running = true;

    /** Written by the measuring thread, run by the one that takes orders. */
    private volatile Runnable atEnd = () -> {};

    /**
     * @param in tells what to do; when it ends, {@link #isRunning()} does.
     * @param out takes what is said.
     */
    Orders(InputStream in, PrintStream out) {
        this.out = out;
        Thread.ofPlatform().daemon().name("orders").start(() -> read(in));
    }

    private void read(InputStream in) {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                switch (line) {
                    case Worker.RESUME -> active(true);
                    case Worker.PAUSE -> active(false);
                    default -> {
                        orders.add(line);
                        wake();
                    }
                }
            }
        } catch (IOException ex) {
            System.err.println("cannot read standard input, so this process ends: " + ex);
        }
        stop();
        atEnd.run();
    }

    /** Has something done when the input ends. */
    void atEnd(Runnable atEnd) {
        this.atEnd = atEnd;
        if (!running) {
            atEnd.run();
        }
    }

    /** The next number of messages to measure; 0 if there is none now. */
    long nextRun() {
        String order = orders.poll();
        return order == null ? 0 : Long.parseLong(order.substring(Worker.RUN.length() + 1));
    }

    /** Whether to be quick. */
    boolean isActive() {
        return active;
    }

    void active(boolean active) {
        this.active = active;
        wake();
    }

    /** Whether whoever gives the orders is there, and work is not over. */
    boolean isRunning() {
        return running;
    }

    void stop() {
        running = false;
        wake();
    }

    /** Fails if there is nobody left to work for. */
    void checkRunning() {
        if (!running) {
            throw new IllegalStateException("stopped, as the command that asked for it has ended");
        }
    }

    /** Waits a little, or until there is something new. */
    void pause() {
        pausing.add(Thread.currentThread());
        LockSupport.parkNanos(PAUSED_NS);
    }

    /** Waits until whoever gives the orders is gone. */
    void awaitEnd() {
        pausing.add(Thread.currentThread());
        while (running) {
            LockSupport.park(this);
        }
    }

    /** Ends the pauses: the one that each thread is in, or else its next. */
    private void wake() {
        pausing.forEach(LockSupport::unpark);
    }

    synchronized void say(String word, String rest) {
        out.println(rest.isEmpty() ? word : word + " " + rest);
        out.flush();
    }

    /** Says how far a run is, about once a second, until the thread is interrupted. */
    Thread showProgress(LongSupplier completed) {
        return Thread.ofPlatform().daemon().name("progress").start(() -> show(completed));
    }

    private void show(LongSupplier completed) {
        long shown = 0;
        try {
            while (true) {
                Thread.sleep(PROGRESS_INTERVAL_MS);
                long done = completed.getAsLong();
                if (done != shown) {
                    say(Worker.PROGRESS, Long.toString(done));
                    shown = done;
                }
            }
        } catch (InterruptedException ex) {
            return; // the run has ended
        }
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
