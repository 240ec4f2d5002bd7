// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Arrivals;
import io.verbus.perf.load.Initiator;
import io.verbus.perf.load.Reflector;
import io.verbus.perf.load.ReplyHandler;
import io.verbus.perf.load.Sink;
import io.verbus.perf.load.Source;
import io.verbus.perf.load.Stack;
import io.verbus.perf.load.Work;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.List;

/**
 * Floor for shared memory. In a round trip, one cache line moves to the other thread, and another
 * one back. In a stream, one thread copies each message to the next place in memory as large as a
 * log's.
 */
public final class SharedMemoryFloor implements Stack {
    private static final int PARTITIONS = 3;

    /** Distance at which the prefetcher does not treat the two lines as neighbors. */
    private static final int LINE_DISTANCE = 512;

    private static final int REQUEST = 0;
    private static final int REPLY = LINE_DISTANCE;

    private final Work work;
    private final UnsafeBuffer lines =
            new UnsafeBuffer(BufferUtil.allocateDirectAligned(2 * LINE_DISTANCE, LINE_DISTANCE));
    private MemoryCopy copy;

    public SharedMemoryFloor(Work work) {
        this.work = work;
    }

    @Override
    public String version() {
        return work.load().isStream() ? "memory copy" : "two cache lines";
    }

    @Override
    public Initiator initiator(ReplyHandler handler) {
        return new LineInitiator(lines, handler);
    }

    @Override
    public Reflector reflector() {
        return new LineReflector(lines);
    }

    @Override
    public List<? extends Source> sources() {
        return List.of(copy());
    }

    @Override
    public Sink sink(Arrivals[] arrivals) {
        return new CopySink(copy(), arrivals, work.length());
    }

    private MemoryCopy copy() {
        if (copy == null) {
            copy = new MemoryCopy(work.length(), PARTITIONS * work.termLength());
        }
        return copy;
    }

    @Override
    public void close() {}

    /** Writes one line, and waits for a change of the other. */
    private static final class LineInitiator implements Initiator {
        private final UnsafeBuffer lines;
        private final ReplyHandler handler;
        private long received;

        LineInitiator(UnsafeBuffer lines, ReplyHandler handler) {
            this.lines = lines;
            this.handler = handler;
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public boolean send(long sequence, long time) {
            lines.putLong(REQUEST + Long.BYTES, time);
            lines.putLongRelease(REQUEST, sequence + 1);
            return true;
        }

        @Override
        public int poll() {
            long sequence = lines.getLongAcquire(REPLY);
            if (sequence == received) {
                return 0;
            }
            received = sequence;
            handler.onReply(sequence - 1, lines.getLong(REPLY + Long.BYTES));
            return 1;
        }
    }

    /** Copies one line to the other when it changes. */
    private static final class LineReflector implements Reflector {
        private final UnsafeBuffer lines;
        private long received;

        LineReflector(UnsafeBuffer lines) {
            this.lines = lines;
        }

        @Override
        public int poll() {
            long sequence = lines.getLongAcquire(REQUEST);
            if (sequence == received) {
                return 0;
            }
            received = sequence;
            lines.putLong(REPLY + Long.BYTES, lines.getLong(REQUEST + Long.BYTES));
            lines.putLongRelease(REPLY, sequence);
            return 1;
        }
    }

    /** Reads the copying thread's progress, rarely enough not to slow that thread down. */
    private record CopySink(MemoryCopy copy, Arrivals[] arrivals, int length) implements Sink {
        @Override
        public int poll() {
            long copied = copy.takeCopied();
            for (Arrivals arrival : arrivals) {
                arrival.onMessages(copied, length);
            }
            return copied > 0 ? 1 : 0;
        }
    }
}
