// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.HdrHistogram.Histogram;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Sends messages and records how long after their scheduled time the echoes arrive. Every sample is
 * recorded; for a message that is sent late, the measurement starts at the time at which it was
 * due.
 *
 * <p>Used by one thread; {@link #completed()} and {@link #stop()} are thread-safe.
 */
public final class RoundTrips {
    /** Time without an echo after which the run fails. */
    public static final long REPLY_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

    private static final long HIGHEST_NS = TimeUnit.HOURS.toNanos(1);
    private static final int DIGITS = 3;
    private static final int POLLS_PER_CLOCK_READ = 1024;
    private static final VarHandle EXPECTED;

    static {
        try {
            EXPECTED =
                    MethodHandles.lookup().findVarHandle(RoundTrips.class, "expected", long.class);
        } catch (ReflectiveOperationException ex) {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final NanoClock clock;
    private final IdleStrategy idleStrategy;
    private final Initiator initiator;
    private final Histogram histogram = new Histogram(HIGHEST_NS, DIGITS);
    private final Stalls stalls = Stalls.fromProperty();
    private long nextToSend;
    private long lastProgress;
    private int idlePolls;
    private IllegalStateException failure; // a bus may swallow handler exceptions

    /** Written by any thread that stops the run, read by the measuring thread. */
    private volatile boolean isStopped;

    /** Sequence of the next echo. Written by the measuring thread, read by the progress thread. */
    @SuppressWarnings("unused")
    private long expected;

    /**
     * @param clock clock to measure with.
     * @param idleStrategy idle strategy to use after polls without result.
     * @param initiators factory of the sending end, given the handler of its echoes.
     */
    public RoundTrips(
            NanoClock clock,
            IdleStrategy idleStrategy,
            Function<ReplyHandler, Initiator> initiators) {
        this.clock = clock;
        this.idleStrategy = idleStrategy;
        this.initiator = initiators.apply(this::onReply);
    }

    /**
     * Polls until both directions are connected.
     *
     * @return false if they did not connect in time.
     */
    public boolean awaitConnected(long timeoutNs) {
        long deadline = clock.nanoTime() + timeoutNs;
        while (!initiator.isConnected()) {
            initiator.poll();
            if (clock.nanoTime() - deadline > 0) {
                return false;
            }
            idleStrategy.idle();
        }
        return true;
    }

    /** Polls the bus between runs, when no message is in flight. */
    public void idle() {
        initiator.poll();
    }

    /** Sends each message when the previous echo arrives. */
    public Measurement oneAtATime(long count) {
        histogram.reset();
        long start = clock.nanoTime();
        for (long i = 0; i < count; i++) {
            checkNotStopped();
            long time = clock.nanoTime();
            lastProgress = time;
            while (!initiator.send(nextToSend, time)) {
                pollOnce();
            }
            nextToSend++;
            while (expected != nextToSend) {
                pollOnce();
            }
        }
        return Measurement.of(histogram.copy(), clock.nanoTime() - start, 0);
    }

    /** Sends messages at a fixed rate, regardless of the progress of earlier messages. */
    public Measurement atRate(long count, long rate, int burst) {
        histogram.reset();
        long start = clock.nanoTime();
        Schedule schedule = new Schedule(start, rate, burst);
        long end = nextToSend + count;
        long first = nextToSend;
        long due = start;
        long lateness = 0;
        lastProgress = start;
        while (expected != end) {
            checkNotStopped();
            long now = clock.nanoTime();
            if (nextToSend != end && now - due >= 0) {
                if (initiator.send(nextToSend, due)) {
                    lateness = now - due;
                    nextToSend++;
                    due = schedule.timeOf(nextToSend - first);
                }
            } else if (expected == nextToSend) {
                lastProgress = now; // no echo is outstanding
            }
            pollOnce();
        }
        return Measurement.of(histogram.copy(), clock.nanoTime() - start, lateness);
    }

    /** Returns the stalls recorded since they were last reported. */
    Stalls stalls() {
        return stalls;
    }

    /** Returns the number of echoes received in all runs. Thread-safe. */
    public long completed() {
        return (long) EXPECTED.getOpaque(this);
    }

    /** Makes the run fail at its next check. Thread-safe. */
    public void stop() {
        isStopped = true;
    }

    private void checkNotStopped() {
        if (isStopped) {
            throw new IllegalStateException(
                    "stopped, because the command that started this process has ended");
        }
    }

    private void pollOnce() {
        if (initiator.poll() > 0) {
            if (failure != null) {
                throw failure;
            }
            idlePolls = 0;
            idleStrategy.reset();
            return;
        }
        if (++idlePolls >= POLLS_PER_CLOCK_READ) {
            idlePolls = 0;
            checkProgress();
        }
        idleStrategy.idle();
    }

    private void checkProgress() {
        if (clock.nanoTime() - lastProgress > REPLY_TIMEOUT_NS) {
            throw new IllegalStateException(
                    "no echo of message "
                            + expected
                            + " within "
                            + TimeUnit.NANOSECONDS.toSeconds(REPLY_TIMEOUT_NS)
                            + " s; check the output of the other end");
        }
    }

    private void onReply(long sequence, long time) {
        if (sequence != expected) {
            throw new IllegalStateException(
                    "received the echo of message " + sequence + " instead of that of " + expected);
        }
        long now = clock.nanoTime();
        histogram.recordValue(now - time);
        stalls.take(time, now - time);
        lastProgress = now;
        EXPECTED.setOpaque(this, sequence + 1);
    }
}
