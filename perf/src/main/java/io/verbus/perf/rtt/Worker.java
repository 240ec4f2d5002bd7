// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.rtt;

import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;

/**
 * A process of a run. It says on standard output how far it is, one line each, a word first; it
 * ends when its standard input does, so that it does not outlive the command that started it.
 */
public final class Worker {
    /** First word of a line: the bus's name and version follow. */
    public static final String VERSION = "version";

    /** First word of a line: both streams of this end are set up. */
    public static final String READY = "ready";

    /** First word of a line: round trips done, warm-up included, follow. */
    public static final String PROGRESS = "progress";

    /** First word of a line: a {@link Measurement} follows. */
    public static final String RESULT = "result";

    private static final long CONNECT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long PROGRESS_INTERVAL_MS = 1000;

    /** The warm-up runs in parts: so the loop is entered anew when its compiled code is there. */
    private static final int WARMUP_PARTS = 20;

    private final Work work;
    private final PrintStream out;
    private final AtomicBoolean running = new AtomicBoolean(true);
    private volatile RoundTrips trips;

    /**
     * @param work to do.
     * @param out takes the lines.
     */
    public Worker(Work work, PrintStream out) {
        this.work = work;
        this.out = out;
    }

    /**
     * Body of a worker's {@code main}: a role, the driver's directory, and the work.
     *
     * @param stacks sets up the bus, given work and directory.
     */
    public static void main(String[] args, BiFunction<Work, String, Stack> stacks) {
        Role role = Role.valueOf(args[0]);
        Work work = Work.parse(List.of(args).subList(2, args.length));
        Worker worker = new Worker(work, System.out);
        Thread.ofPlatform().daemon().name("lifeline").start(worker::stopAtEndOfInput);
        int status = 0;
        try (Stack stack = stacks.apply(work, args[1])) {
            worker.run(role, stack);
        } catch (RuntimeException ex) {
            System.err.println(ex.getMessage() == null ? ex.toString() : ex.getMessage());
            if (Boolean.getBoolean("verbus.perf.trace")) {
                ex.printStackTrace();
            }
            status = 1;
        }
        System.exit(status);
    }

    /** Does this process's part. */
    public void run(Role role, Stack stack) {
        say(VERSION, stack.version());
        switch (role) {
            case INITIATOR -> initiate(stack);
            case REFLECTOR -> {
                Reflector reflector = stack.reflector();
                say(READY, "");
                reflect(reflector);
            }
            case BOTH -> {
                Reflector reflector = stack.reflector();
                AtomicReference<Throwable> failure = new AtomicReference<>();
                Thread thread =
                        Thread.ofPlatform()
                                .name("reflector")
                                .uncaughtExceptionHandler((t, ex) -> failure.set(ex))
                                .start(() -> reflect(reflector));
                try {
                    initiate(stack);
                } catch (IllegalStateException ex) {
                    throw failure.get() == null
                            ? ex
                            : new IllegalStateException("the reflector failed", failure.get());
                } finally {
                    running.set(false);
                    join(thread);
                }
            }
        }
    }

    private void initiate(Stack stack) {
        IdleStrategy idle = work.idle().strategy();
        trips = new RoundTrips(SystemNanoClock.INSTANCE, idle, stack::initiator);
        say(READY, "");
        trips.awaitConnected(CONNECT_TIMEOUT_NS);
        Thread progress = Thread.ofPlatform().daemon().name("progress").start(this::showProgress);
        long done = 0;
        for (int part = 1; part <= WARMUP_PARTS; part++) {
            long end = work.warmup() * part / WARMUP_PARTS;
            measure(end - done);
            done = end;
        }
        Measurement measurement = measure(work.messages());
        progress.interrupt();
        join(progress);
        say(RESULT, measurement.encode());
    }

    private Measurement measure(long count) {
        return work.rate() == Work.ONE_AT_A_TIME
                ? trips.oneAtATime(count)
                : trips.atRate(count, work.rate());
    }

    private void reflect(Reflector reflector) {
        IdleStrategy idle = work.idle().strategy();
        while (running.get()) {
            idle.idle(reflector.poll());
        }
    }

    private void showProgress() {
        try {
            while (true) {
                Thread.sleep(PROGRESS_INTERVAL_MS);
                say(PROGRESS, Long.toString(trips.completed()));
            }
        } catch (InterruptedException ex) {
            // the run has ended
        }
    }

    private void stopAtEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                // whatever comes means nothing
            }
        } catch (IOException ex) {
            System.err.println("cannot read standard input, so this process ends: " + ex);
        }
        running.set(false);
        if (trips != null) {
            trips.stop();
        }
    }

    private void say(String word, String rest) {
        out.println(rest.isEmpty() ? word : word + " " + rest);
        out.flush();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }
}
