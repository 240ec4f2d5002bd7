// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.jmh;

import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.ConcurrentAppender;
import io.verbus.logbuffer.ExclusiveAppender;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.logbuffer.LogReader;
import io.verbus.logbuffer.MessageBatch;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.util.concurrent.TimeUnit;

/**
 * Measures offer, claim and commit, and poll on one thread, so no cache lines move between cores.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LogBenchmark {
    private static final int BATCH = 100;
    private static final int POLLED = 400;

    /** Number of messages per batch; {@link #BATCH} is a multiple of it. */
    private static final int MESSAGES = 5;

    private static final int CLEAN_STEP = 8 * 1024;

    /** Message length in bytes. */
    @Param({"32", "1024"})
    public int length;

    /** Term length of the written logs; one value fits in the cache, the other does not. */
    @Param({"65536", "16777216"})
    public int termLength;

    private final BufferClaim claim = new BufferClaim();
    private long seen;
    private final FragmentHandler handler = (buffer, offset, bytes, header) -> seen += bytes;
    private BenchmarkLog exclusiveLog;
    private BenchmarkLog concurrentLog;
    private BenchmarkLog filledLog;
    private ExclusiveAppender exclusive;
    private ConcurrentAppender concurrent;
    private LogCleaner cleaner;
    private UnsafeBuffer message;
    private MessageBatch batch;
    private int polled;

    /** Creates the logs. */
    @Setup
    public void open() {
        exclusiveLog = new BenchmarkLog(termLength);
        concurrentLog = new BenchmarkLog(termLength);
        filledLog = new BenchmarkLog(BenchmarkLog.SHORT);
        exclusive = new ExclusiveAppender(exclusiveLog.buffers);
        concurrent = new ConcurrentAppender(concurrentLog.buffers);
        cleaner = new LogCleaner(concurrentLog.buffers, 0);
        message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, 64));
        batch = new MessageBatch(MESSAGES);
        while (batch.add(message, 0, length)) {}
        ExclusiveAppender filler = new ExclusiveAppender(filledLog.buffers);
        long limit = BenchmarkLog.SHORT / 2;
        polled = 0;
        while (polled < POLLED && filler.append(message, 0, length, 0, limit) > 0) {
            polled++;
        }
    }

    /** Deletes the logs. */
    @TearDown
    public void close() {
        exclusiveLog.close();
        concurrentLog.close();
        filledLog.close();
    }

    /** Measures offers on an exclusive publication. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long exclusiveOffer() {
        for (int i = 0; i < BATCH; i++) {
            exclusive.append(message, 0, length, 0, Long.MAX_VALUE);
        }
        return exclusive.position();
    }

    /** Measures offers in batches on an exclusive publication, per message. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long exclusiveOfferBatch() {
        for (int i = 0; i < BATCH; i += MESSAGES) {
            exclusive.appendBatch(batch, Long.MAX_VALUE);
        }
        return exclusive.position();
    }

    /** Measures offers in batches on a concurrent publication, per message. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long concurrentOfferBatch() {
        for (int i = 0; i < BATCH; i += MESSAGES) {
            concurrent.appendBatch(batch, Long.MAX_VALUE);
        }
        return cleaned();
    }

    /** Measures claims and commits on an exclusive publication. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long exclusiveClaimAndCommit() {
        for (int i = 0; i < BATCH; i++) {
            if (exclusive.claim(length, claim, Long.MAX_VALUE) > 0) {
                claim.buffer().putLong(claim.offset(), i);
                claim.commit();
            }
        }
        return exclusive.position();
    }

    /** Measures offers on a concurrent publication, and cleans its log as a driver would. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long concurrentOffer() {
        for (int i = 0; i < BATCH; i++) {
            concurrent.append(message, 0, length, 0, Long.MAX_VALUE);
        }
        return cleaned();
    }

    private long cleaned() {
        long position = concurrent.position();
        while (position - cleaner.cleaned() >= CLEAN_STEP) {
            cleaner.clean(position, CLEAN_STEP);
        }
        return position;
    }

    /** Measures one poll of up to 400 messages by a new reader; the result is the total time. */
    @Benchmark
    public long poll() {
        LogReader reader = new LogReader(filledLog.buffers, new AtomicLongPosition(), false);
        return reader.poll(handler, polled) + seen;
    }

    /** Measures a poll that finds no message. */
    @Benchmark
    public long pollNothing(Idle idle) {
        return idle.reader.poll(handler, 1);
    }

    /** Reader at the end of its log. */
    @State(Scope.Thread)
    public static class Idle {
        private BenchmarkLog log;
        private LogReader reader;

        /** Creates the log. */
        @Setup
        public void open() {
            log = new BenchmarkLog(BenchmarkLog.SHORT);
            reader = new LogReader(log.buffers, new AtomicLongPosition(), false);
        }

        /** Deletes the log. */
        @TearDown
        public void close() {
            log.close();
        }
    }
}
