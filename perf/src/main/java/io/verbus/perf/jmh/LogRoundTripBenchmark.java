// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.jmh;

import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.ExclusiveAppender;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.LogReader;

import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import java.util.concurrent.TimeUnit;

/** Measures round trips between two threads through two logs, without a driver or client. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LogRoundTripBenchmark {
    private static final int TERM_LENGTH = 16 * 1024 * 1024;
    private static final int MTU = 8192;
    private static final int FRAGMENT_LIMIT = 10;

    /** Message length in bytes. */
    @Param({"32", "100", "288", "1344", "4000"})
    public int length;

    /** Whether messages are claimed rather than offered. */
    @Param({"false", "true"})
    public boolean claimed;

    private BenchmarkLog requestLog;
    private BenchmarkLog replyLog;
    private Sender requests;
    private LogReader replies;
    private UnsafeBuffer message;
    private Reflection reflection;
    private long sent;
    private long received;
    private final FragmentHandler onReply = (buffer, offset, bytes, header) -> received++;

    /** Sending end of a log. */
    private record Sender(
            ExclusiveAppender appender, BufferClaim claim, int length, boolean claimed) {
        void send(DirectBuffer from, int offset) {
            if (claimed) {
                while (appender.claim(length, claim, Long.MAX_VALUE) < 0) {
                    Thread.onSpinWait(); // the offer rotated the term
                }
                claim.buffer().putBytes(claim.offset(), from, offset, length);
                claim.commit();
            } else {
                while (appender.append(from, offset, length, 0, Long.MAX_VALUE) < 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    /** Creates the logs, and starts the reflecting thread. */
    @Setup
    public void open() {
        message = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, 64));
        requestLog = new BenchmarkLog(TERM_LENGTH, MTU);
        replyLog = new BenchmarkLog(TERM_LENGTH, MTU);
        requests = sender(requestLog);
        replies = reader(replyLog);
        LogReader arriving = reader(requestLog);
        Sender back = sender(replyLog);
        FragmentHandler onRequest = (buffer, offset, bytes, header) -> back.send(buffer, offset);
        reflection = new Reflection(number -> arriving.poll(onRequest, FRAGMENT_LIMIT) > 0);
    }

    private Sender sender(BenchmarkLog log) {
        return new Sender(new ExclusiveAppender(log.buffers), new BufferClaim(), length, claimed);
    }

    private static LogReader reader(BenchmarkLog log) {
        return new LogReader(log.buffers, new AtomicLongPosition(), false);
    }

    /** Stops the reflecting thread, and deletes the logs. */
    @TearDown
    public void close() {
        reflection.close();
        requestLog.close();
        replyLog.close();
    }

    /** Measures one round trip. */
    @Benchmark
    public long roundTrip() {
        sent++;
        requests.send(message, 0);
        long spins = 0;
        while (received < sent) {
            if (replies.poll(onReply, FRAGMENT_LIMIT) == 0) {
                spins = Reflection.spin(spins);
            }
        }
        return spins;
    }
}
