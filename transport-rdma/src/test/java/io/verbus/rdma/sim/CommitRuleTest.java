// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.outbound.CommitRule;
import io.verbus.rdma.outbound.LogPath;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

class CommitRuleTest {
    private static final int SCHEDULES = Integer.getInteger("verbus.schedules", 12_000);
    private static final int SCHEDULES_TO_CATCH = 1_000;
    private static final long FIRST_SEED =
            Long.getLong("verbus.seed", System.nanoTime() & 0xFFFF_FFFFL);
    private static final int WORD = Long.BYTES;

    @TempDir static Path directory;
    private static CommitSchedule.Logs logs;

    @BeforeAll
    static void createLogs() {
        logs = CommitSchedule.Logs.create(directory);
    }

    @AfterAll
    static void closeLogs() {
        logs.close();
    }

    @Test
    void readerSeesNoTornStaleLostOrDuplicateFrame() {
        AssertionError caught = firstCaught(CommitRule::stage, true, SCHEDULES);
        if (caught != null) {
            throw caught;
        }
    }

    @Test
    void catchesWritingBatchInOneWrite() {
        assertNotNull(firstCaught(CommitRuleTest::oneWrite, false, SCHEDULES_TO_CATCH));
    }

    @Test
    void catchesMissingZeroAfterBatch() {
        assertNotNull(firstCaught(CommitRuleTest::noZero, false, SCHEDULES_TO_CATCH));
    }

    @Test
    void catchesZeroingNextTermAfterCommit() {
        assertNotNull(firstCaught(CommitRuleTest::zeroAfterCommit, false, SCHEDULES_TO_CATCH));
    }

    @Test
    void catchesCommitBeforePayload() {
        assertNotNull(firstCaught(CommitRuleTest::commitFirst, false, SCHEDULES_TO_CATCH));
    }

    /** The invariant is checked alone, without a reader. */
    @Test
    void catchesMissingZeroWithoutReader() {
        assertNotNull(firstCaught(CommitRuleTest::noZero, true, SCHEDULES_TO_CATCH));
    }

    private static AssertionError firstCaught(BatchWriter rule, boolean invariant, int schedules) {
        for (int i = 0; i < schedules; i++) {
            long seed = FIRST_SEED + i;
            try {
                new CommitSchedule(logs, rule, invariant, seed).run();
            } catch (AssertionError e) {
                return new AssertionError(
                        "schedule " + i + " with -Dverbus.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        return null;
    }

    private static void oneWrite(
            QueuePair queuePair, LogPath path, long position, int dataLength, int length) {
        zero(queuePair, path, position, length);
        queuePair.stageWrite(
                local(path, position),
                dataLength,
                path.localKey(),
                remote(path, position),
                path.remoteKey());
    }

    private static void noZero(
            QueuePair queuePair, LogPath path, long position, int dataLength, int length) {
        body(queuePair, path, position, dataLength);
        word(queuePair, path, position);
    }

    private static void zeroAfterCommit(
            QueuePair queuePair, LogPath path, long position, int dataLength, int length) {
        if (LogLayout.termOffset(position + length, path.termLength()) != 0) {
            CommitRule.stage(queuePair, path, position, dataLength, length);
        } else {
            body(queuePair, path, position, dataLength);
            word(queuePair, path, position);
            zero(queuePair, path, position, length);
        }
    }

    private static void commitFirst(
            QueuePair queuePair, LogPath path, long position, int dataLength, int length) {
        zero(queuePair, path, position, length);
        word(queuePair, path, position);
        body(queuePair, path, position, dataLength);
    }

    private static void zero(QueuePair queuePair, LogPath path, long position, int length) {
        queuePair.stageWrite(
                path.zero(),
                WORD,
                path.zeroKey(),
                remote(path, position + length),
                path.remoteKey());
    }

    private static void body(QueuePair queuePair, LogPath path, long position, int dataLength) {
        queuePair.stageWrite(
                local(path, position) + WORD,
                dataLength - WORD,
                path.localKey(),
                remote(path, position) + WORD,
                path.remoteKey());
    }

    private static void word(QueuePair queuePair, LogPath path, long position) {
        queuePair.stageWrite(
                local(path, position),
                WORD,
                path.localKey(),
                remote(path, position),
                path.remoteKey());
    }

    private static long local(LogPath path, long position) {
        return path.localLog() + logOffset(path, position);
    }

    private static long remote(LogPath path, long position) {
        return path.remoteLog() + logOffset(path, position);
    }

    private static long logOffset(LogPath path, long position) {
        int termLength = path.termLength();
        int bits = LogLayout.positionBitsToShift(termLength);
        return (long) LogLayout.partition(position, bits) * termLength
                + LogLayout.termOffset(position, termLength);
    }
}
