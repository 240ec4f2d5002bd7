// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.rtt;

import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SystemNanoClock;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;

/**
 * A process of a run. It is told on standard input what to do, and says on standard output how far
 * it is: one line each, a word first. It ends when its input does, so that it does not outlive the
 * command that started it.
 *
 * <p>Between the parts of a run it polls only each millisecond, so that another bus can be measured
 * on the same processors meanwhile.
 */
public final class Worker {
    /** Said: the bus's name and version follow. */
    public static final String VERSION = "version";

    /** Said: both streams of this end are set up. */
    public static final String READY = "ready";

    /** Said: round trips done so far follow. */
    public static final String PROGRESS = "progress";

    /** Said: a {@link Measurement} of the part that was asked for follows. */
    public static final String RESULT = "result";

    /** Told to an end that sends: number of round trips to measure follows. */
    public static final String RUN = "run";

    /** Told to an end that only reflects: be quick. */
    public static final String RESUME = "resume";

    /** Told to an end that only reflects: leave the processors to others. */
    public static final String PAUSE = "pause";

    private static final long CONNECT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSED_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PROGRESS_INTERVAL_MS = 1000;

    private final Work work;
    private final PrintStream out;
    private final BlockingQueue<String> orders = new LinkedBlockingQueue<>();

    /** Written by the thread that takes orders, read by the one that reflects. */
    private volatile boolean active;

    /** Written by the thread that takes orders, read by the one that reflects. */
    private volatile boolean running = true;

    /** Written once by the thread that sends, read by those that show progress and take orders. */
    private volatile RoundTrips trips;

    /**
     * @param work to do.
     * @param in tells what to do.
     * @param out takes what is said.
     */
    public Worker(Work work, InputStream in, PrintStream out) {
        this.work = work;
        this.out = out;
        Thread.ofPlatform().daemon().name("orders").start(() -> readOrders(in));
    }

    /**
     * Body of a worker's {@code main}: a role, the driver's directory, and the work.
     *
     * @param stacks sets up the bus, given work and directory.
     */
    public static void main(String[] args, BiFunction<Work, String, Stack> stacks) {
        Role role = Role.valueOf(args[0]);
        Work work = Work.parse(List.of(args).subList(2, args.length));
        Worker worker = new Worker(work, System.in, System.out);
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
                if (reflect(reflector) == 0 && !stack.trouble().isEmpty()) {
                    System.err.println(stack.trouble());
                }
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
                    if (failure.get() != null) {
                        ex.addSuppressed(failure.get());
                    }
                    throw ex;
                } finally {
                    running = false;
                    join(thread);
                }
            }
        }
    }

    private void initiate(Stack stack) {
        IdleStrategy idle = work.idle().strategy();
        trips = new RoundTrips(SystemNanoClock.INSTANCE, idle, stack::initiator);
        if (!trips.awaitConnected(CONNECT_TIMEOUT_NS)) {
            throw new IllegalStateException(
                    "the two ends did not connect within "
                            + TimeUnit.NANOSECONDS.toSeconds(CONNECT_TIMEOUT_NS)
                            + " s; check that the addresses reach each other "
                            + stack.trouble());
        }
        say(READY, "");
        Thread progress = Thread.ofPlatform().daemon().name("progress").start(this::showProgress);
        while (running) {
            String order = orders.poll();
            if (order == null) {
                trips.idle();
                LockSupport.parkNanos(PAUSED_NS);
            } else if (order.startsWith(RUN)) {
                active = true;
                Measurement measurement =
                        measure(Long.parseLong(order.substring(RUN.length() + 1)));
                active = false;
                say(RESULT, measurement.encode());
            }
        }
        progress.interrupt();
        join(progress);
    }

    private Measurement measure(long count) {
        return work.rate() == Work.ONE_AT_A_TIME
                ? trips.oneAtATime(count)
                : trips.atRate(count, work.rate());
    }

    private long reflect(Reflector reflector) {
        IdleStrategy idle = work.idle().strategy();
        long total = 0;
        while (running) {
            int count = reflector.poll();
            total += count;
            if (active) {
                idle.idle(count);
            } else {
                LockSupport.parkNanos(PAUSED_NS);
            }
        }
        return total;
    }

    private void showProgress() {
        long shown = 0;
        try {
            while (true) {
                Thread.sleep(PROGRESS_INTERVAL_MS);
                long done = trips.completed();
                if (done != shown) {
                    say(PROGRESS, Long.toString(done));
                    shown = done;
                }
            }
        } catch (InterruptedException ex) {
            return; // the run has ended
        }
    }

    private void readOrders(InputStream in) {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                switch (line) {
                    case RESUME -> active = true;
                    case PAUSE -> active = false;
                    default -> orders.add(line);
                }
            }
        } catch (IOException ex) {
            System.err.println("cannot read standard input, so this process ends: " + ex);
        }
        running = false;
        if (trips != null) {
            trips.stop();
        }
    }

    private synchronized void say(String word, String rest) {
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
