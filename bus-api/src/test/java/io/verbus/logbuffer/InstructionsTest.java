// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.transport.Instructions;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicLongPosition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

import java.util.List;
import java.util.function.IntConsumer;

/**
 * Bounds the instruction counts of the steps of every message, as {@code lab/junit --instructions}
 * counts them with the JVM's C1 compiler: the same in each run of the same classes, with a
 * tolerance of a tenth. A change that makes a step longer must update its bound here.
 */
@Tag("instructions")
@EnabledIfEnvironmentVariable(named = Instructions.ACCELERATOR, matches = Instructions.COUNTING)
class InstructionsTest {
    private static final int TERM_LENGTH = 1024 * 1024;
    private static final int PARTS = 20;
    private static final int MESSAGES = 5_000;
    private static final int LENGTH = 32;

    /** With these, the call of a step costs the same whichever test runs first. */
    private static final List<IntConsumer> OTHERS = List.of(i -> {}, i -> {});

    private final LogBuffers log = TestLogs.create(TERM_LENGTH, 1408);
    private final LogCleaner cleaner = new LogCleaner(log, 0);
    private final AtomicLongPosition consumed = new AtomicLongPosition();
    private final LogReader reader = new LogReader(log, consumed, false);
    private final UnsafeBuffer source = new UnsafeBuffer(new byte[LENGTH]);
    private final BufferClaim claim = new BufferClaim();
    private long limit = cleaner.limit(0, TERM_LENGTH);
    private int fragments;

    private final FragmentHandler handler = (buffer, offset, length, header) -> fragments++;

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void limitsInstructionsOfExclusiveOffer() {
        ExclusiveAppender appender = new ExclusiveAppender(log);
        assertAtMost(395, "offer", i -> appender.append(source, 0, LENGTH, i, limit));
        assertAllWereRead();
    }

    @Test
    void limitsInstructionsOfOffer() {
        ConcurrentAppender appender = new ConcurrentAppender(log);
        assertAtMost(630, "concurrent offer", i -> appender.append(source, 0, LENGTH, i, limit));
        assertAllWereRead();
    }

    @Test
    void limitsInstructionsOfClaimAndCommit() {
        ExclusiveAppender appender = new ExclusiveAppender(log);
        assertAtMost(
                418,
                "claim and commit",
                i -> {
                    if (appender.claim(LENGTH, claim, limit) > 0) {
                        claim.commit();
                    }
                });
        assertAllWereRead();
    }

    @Test
    void limitsInstructionsOfPoll() {
        ExclusiveAppender appender = new ExclusiveAppender(log);
        assertAtMost(
                825,
                "offer and poll",
                i -> {
                    appender.append(source, 0, LENGTH, i, limit);
                    reader.poll(handler, 10);
                });
        assertAllWereRead();
    }

    @Test
    void limitsInstructionsOfEmptyPoll() {
        assertAtMost(69, "poll of nothing", i -> reader.poll(handler, 10));
    }

    private void assertAtMost(int instructions, String step, IntConsumer steps) {
        double least = Double.MAX_VALUE;
        for (int part = 0; part < PARTS; part++) {
            for (IntConsumer other : OTHERS) {
                run(other, 1);
            }
            double before = System.nanoTime();
            run(steps, MESSAGES);
            least = Math.min(least, (System.nanoTime() - before) / MESSAGES);
            consume();
        }
        System.out.println(step + ": " + least + " instructions");
        assertTrue(least <= instructions, step + ": " + least + " instructions");
    }

    private static void run(IntConsumer steps, int count) {
        for (int i = 0; i < count; i++) {
            steps.accept(i);
        }
    }

    /** Checks that the steps did their work; at the end of a term an offer is rejected. */
    private void assertAllWereRead() {
        assertTrue(fragments > 0.99 * PARTS * MESSAGES, fragments + " messages");
    }

    private void consume() {
        while (reader.poll(handler, Integer.MAX_VALUE) > 0) {
            // Until there is no more.
        }
        while (cleaner.clean(consumed.get(), TERM_LENGTH) > 0) {
            // Until all is clean.
        }
        limit = cleaner.limit(consumed.get(), TERM_LENGTH);
    }
}
