// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.jmh;

import io.verbus.transport.RoundRobin;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

import java.util.concurrent.TimeUnit;

/**
 * Measures the scheduling cost on a thread that invokes four kinds of stream owners, as a driver in
 * INVOKER mode does. Each owner has one busy stream, whose turn does almost nothing.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RoundRobinBenchmark {
    private static final long IDLE_AFTER_NS = TimeUnit.SECONDS.toNanos(1);

    private final Sending sending = new Sending();
    private final Granting granting = new Granting();
    private final Publishing publishing = new Publishing();
    private final Receiving receiving = new Receiving();
    private long now;

    /** Stream that counts its turns. */
    private abstract static class Stream extends RoundRobin.Taker {
        long turns;

        @Override
        protected boolean isWaiting() {
            return false;
        }
    }

    private static final class Sent extends Stream {}

    private static final class Granted extends Stream {}

    private static final class Published extends Stream {}

    private static final class Received extends Stream {}

    private static final class Sending implements RoundRobin.Turn<Sent> {
        final RoundRobin<Sent> turns = new RoundRobin<>(IDLE_AFTER_NS, 0);

        @Override
        public int take(Sent one, long nowNs) {
            return (int) ++one.turns & 1;
        }
    }

    private static final class Granting implements RoundRobin.Turn<Granted> {
        final RoundRobin<Granted> turns = new RoundRobin<>(IDLE_AFTER_NS, 0);

        @Override
        public int take(Granted one, long nowNs) {
            return (int) ++one.turns & 2;
        }
    }

    private static final class Publishing implements RoundRobin.Turn<Published> {
        final RoundRobin<Published> turns = new RoundRobin<>(IDLE_AFTER_NS, 0);

        @Override
        public int take(Published one, long nowNs) {
            return (int) ++one.turns & 4;
        }
    }

    private static final class Receiving implements RoundRobin.Turn<Received> {
        final RoundRobin<Received> turns = new RoundRobin<>(IDLE_AFTER_NS, 0);

        @Override
        public int take(Received one, long nowNs) {
            return (int) ++one.turns & 8;
        }
    }

    /** Adds one stream of each kind. */
    @Setup
    public void open() {
        sending.turns.add(new Sent());
        granting.turns.add(new Granted());
        publishing.turns.add(new Published());
        receiving.turns.add(new Received());
    }

    /** Measures one cycle of all four owners. */
    @Benchmark
    public int fourKinds() {
        now++;
        return sending.turns.go(sending, now)
                + granting.turns.go(granting, now)
                + publishing.turns.go(publishing, now)
                + receiving.turns.go(receiving, now);
    }

    /** Measures one cycle of a single owner. */
    @Benchmark
    public int oneKind() {
        now++;
        return sending.turns.go(sending, now);
    }
}
