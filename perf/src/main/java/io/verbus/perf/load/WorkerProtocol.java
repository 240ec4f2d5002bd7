// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import io.verbus.perf.process.ParentLink;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Exchanges lines with the command that started this worker: reads commands, and writes answers.
 * Each line begins with a keyword.
 */
final class WorkerProtocol {
    /**
     * Poll interval between the parts of a run. It is long, to leave the processors to other
     * processes: in an emulator, even a single duty cycle of a driver would distort concurrent
     * measurements.
     */
    private static final long PAUSED_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long PROGRESS_INTERVAL_MS = 1000;

    private final PrintStream out;
    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();

    /** Threads that have called {@link #pause()} or {@link #awaitEnd()}. */
    private final Set<Thread> pausing = ConcurrentHashMap.newKeySet();

    /**
     * Whether to poll quickly. Written by the threads that take commands; read by the measuring
     * threads.
     */
    private volatile boolean active;

    /** Written by the threads that take commands, read by the measuring threads. */
    private volatile boolean running = true;

    /** Written by the measuring thread, run by the thread that reads commands. */
    private volatile Runnable atEnd = () -> {};

    /**
     * @param in source of the commands; when it ends, {@link #isRunning()} becomes false.
     * @param out destination of the answers.
     */
    WorkerProtocol(InputStream in, PrintStream out) {
        this.out = out;
        ParentLink.follow(in, this::take, this::end);
    }

    private void take(String command) {
        switch (command) {
            case Worker.RESUME -> active(true);
            case Worker.PAUSE -> active(false);
            default -> {
                commands.add(command);
                wake();
            }
        }
    }

    private void end() {
        stop();
        atEnd.run();
    }

    /** Registers an action to run when the input ends. */
    void atEnd(Runnable atEnd) {
        this.atEnd = atEnd;
        if (!running) {
            atEnd.run();
        }
    }

    /** Returns the next number of messages to measure; 0 if no command is waiting. */
    long nextRun() {
        String command = commands.poll();
        return command == null ? 0 : Long.parseLong(command.substring(Worker.RUN.length() + 1));
    }

    /** Returns whether to poll quickly. */
    boolean isActive() {
        return active;
    }

    void active(boolean active) {
        this.active = active;
        wake();
    }

    /** Returns whether the commanding process is still running and the work is not finished. */
    boolean isRunning() {
        return running;
    }

    void stop() {
        running = false;
        wake();
    }

    /** Throws an exception if the commanding process has ended. */
    void checkRunning() {
        if (!running) {
            throw new IllegalStateException(
                    "stopped, because the command that started this process has ended");
        }
    }

    /** Waits briefly; returns early if a command changes the state. */
    void pause() {
        pausing.add(Thread.currentThread());
        LockSupport.parkNanos(PAUSED_NS);
    }

    /** Waits until the commanding process has ended. */
    void awaitEnd() {
        pausing.add(Thread.currentThread());
        while (running) {
            LockSupport.park(this);
        }
    }

    /** Wakes each pausing thread, or makes its next pause end immediately. */
    private void wake() {
        pausing.forEach(LockSupport::unpark);
    }

    synchronized void say(String word, String rest) {
        out.println(rest.isEmpty() ? word : word + " " + rest);
        out.flush();
    }

    /** Starts a thread that reports progress about once a second until it is interrupted. */
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
