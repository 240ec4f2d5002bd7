// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;

/** Checks that sending messages through a log does not allocate, compiled or interpreted. */
class AllocationTest {
    private static final int TERM_LENGTH = LogLayout.MIN_TERM_LENGTH;
    private static final int MESSAGES = 20_000;

    /**
     * Total bytes to ignore: code that is recompiled while it runs may allocate where it did not
     * before. One object for each message would be 300 KB.
     */
    private static final long SLACK = 4096;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final LogBuffers log = TestLogs.create(TERM_LENGTH, 256);
    private final LogCleaner cleaner = new LogCleaner(log, 0);
    private final LogScanner scanner = new LogScanner(log);
    private final LogUnblocker unblocker = new LogUnblocker(log, false);
    private final AtomicLongPosition consumed = new AtomicLongPosition();
    private final LogReader reader = new LogReader(log, consumed, false);
    private final UnsafeBuffer source = new UnsafeBuffer(new byte[2048]);
    private final BufferClaim claim = new BufferClaim();
    private final MessageBatch batch = new MessageBatch(4);
    private long fragments;
    private long limit = cleaner.limit(0, TERM_LENGTH);

    private final FragmentHandler handler = (buffer, offset, length, header) -> fragments++;
    private final ControlledFragmentHandler controlled =
            (buffer, offset, length, header) -> {
                fragments += header.termOffset() >= 0 ? 1 : 0;
                return ControlledFragmentHandler.Action.COMMIT;
            };

    @Test
    void concurrentStreamDoesNotAllocate() {
        ConcurrentAppender appender = new ConcurrentAppender(log);
        measure(
                () -> {
                    for (int i = 0; i < MESSAGES; i++) {
                        appender.append(source, 0, i & 1023, i, limit);
                        appender.appendBatch(fill(i), limit);
                        if (appender.claim(i & 127, claim, limit) > 0) {
                            claim.reservedValue(i).commit();
                        }
                        consume(i, appender.position());
                    }
                });
    }

    @Test
    void exclusiveStreamDoesNotAllocate() {
        ExclusiveAppender appender = new ExclusiveAppender(log);
        measure(
                () -> {
                    for (int i = 0; i < MESSAGES; i++) {
                        appender.append(source, 0, i & 1023, i, limit);
                        appender.appendBatch(fill(i), limit);
                        if (appender.claim(i & 127, claim, limit) > 0) {
                            claim.abort();
                        }
                        consume(i, appender.position());
                    }
                });
    }

    private MessageBatch fill(int i) {
        batch.clear();
        while (batch.add(source, 0, i & 31)) {}
        return batch;
    }

    private void consume(int i, long tail) {
        fragments += scanner.available(consumed.get(), tail, 4096) > consumed.get() ? 1 : 0;
        if ((i & 1) == 0) {
            reader.poll(handler, 10);
        } else {
            reader.controlledPoll(controlled, 10);
        }
        unblocker.check(consumed.get(), i, 10);
        cleaner.clean(consumed.get(), 4096);
        limit = cleaner.limit(consumed.get(), TERM_LENGTH);
    }

    private void measure(Runnable stream) {
        // Class loading and linking happen once and are not a message's cost; most of this run is
        // interpreted.
        stream.run();
        long self = threads.getCurrentThreadAllocatedBytes();
        self = threads.getCurrentThreadAllocatedBytes() - self;
        for (int i = 0; i < 3; i++) {
            long polled = fragments;
            long before = threads.getCurrentThreadAllocatedBytes();
            stream.run();
            long allocated = threads.getCurrentThreadAllocatedBytes() - before - self;
            assertTrue(allocated < SLACK, allocated + " bytes for " + MESSAGES + " messages");
            assertTrue(fragments - polled > MESSAGES, "the stream went on");
        }
        log.close();
    }
}
