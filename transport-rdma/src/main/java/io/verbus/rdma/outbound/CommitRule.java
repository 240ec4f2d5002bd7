// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.fabric.QueuePair;

/**
 * How a batch of committed frames is put into a remote log.
 *
 * <p>Invariant: <b>the word at the frontier of the remote log is zero until everything behind it is
 * in place.</b> The frontier is where the next batch will begin. A reader that finds a frame length
 * there (acquire) therefore finds the whole batch, and a zero word behind it; whatever an earlier
 * lap has left in the log is never taken for a frame, and nothing needs cleaning.
 *
 * <p>The batch [P, E) lies in one term:
 *
 * <pre>
 *   remote log   | ... read before |0|       garbage of the last lap        |
 *                                   P                                 E
 *   WR 1                            . [P+8, E) of the log ............|0|     gathered
 *   WR 2                            |w|                                       first word of P
 * </pre>
 *
 * WR 1 is one write to [P+8, E+8): the log's own [P+8, E) and a word of zeros. WR 2 writes the
 * first word of the batch over the zero at P. Where nothing can be gathered the zero goes first, as
 * a work request of its own: at the end of the term, to the first word of the next; behind a
 * padding frame, whose body is not sent, to the word that follows it.
 *
 * <p>This relies on two promises of a reliable connection without relaxed ordering: writes become
 * visible in the order in which they were posted, and an aligned word becomes visible at once.
 * Within a write nothing is assumed. Where the first promise is not kept, WR 2 is posted only when
 * WR 1 is known to be in place: see {@link ConfirmedReplication}. The word that is zeroed belongs
 * to what was consumed before, because {@code E <= consumed + 2 terms}.
 */
public final class CommitRule {
    /** Most work requests that a batch takes. */
    public static final int MAX_WORK_REQUESTS = 3;

    private static final int WORD = Long.BYTES;

    private CommitRule() {}

    /**
     * Stages the writes of a batch.
     *
     * @param queuePair to stage them in, with {@link #MAX_WORK_REQUESTS} free.
     * @param path of the log.
     * @param position of the batch, P.
     * @param dataLength bytes from P that are sent: up to E, or to the end of the header of a
     *     padding frame that is the batch's last.
     * @param length of the batch, E - P; it does not cross a term.
     */
    public static void stage(
            QueuePair queuePair, LogPath path, long position, int dataLength, int length) {
        long offset = logOffset(path, position);
        long local = path.localLog() + offset;
        long remote = path.remoteLog() + offset;
        stageBody(queuePair, path, offset, local, remote, dataLength, length);
        queuePair.stageWrite(local, WORD, path.localKey(), remote, path.remoteKey());
    }

    /** Stages all of a batch but its first word; the parameters are those of {@link #stage}. */
    static void stageBody(
            QueuePair queuePair, LogPath path, long position, int dataLength, int length) {
        long offset = logOffset(path, position);
        long local = path.localLog() + offset;
        long remote = path.remoteLog() + offset;
        stageBody(queuePair, path, offset, local, remote, dataLength, length);
    }

    /** Stages the first word of a batch, by which its reader finds it. */
    static void stageCommit(QueuePair queuePair, LogPath path, long position) {
        long offset = logOffset(path, position);
        queuePair.stageWrite(
                path.localLog() + offset,
                WORD,
                path.localKey(),
                path.remoteLog() + offset,
                path.remoteKey());
    }

    private static void stageBody(
            QueuePair queuePair,
            LogPath path,
            long offset,
            long local,
            long remote,
            int dataLength,
            int length) {
        long end = offset + length;
        boolean endsTerm = (end & path.termLength() - 1) == 0;

        if (dataLength == length && !endsTerm) {
            queuePair.stageWrite(
                    local + WORD,
                    length - WORD,
                    path.localKey(),
                    path.zero(),
                    WORD,
                    path.zeroKey(),
                    remote + WORD,
                    path.remoteKey());
        } else {
            long logLength = (long) LogLayout.PARTITIONS * path.termLength();
            long frontier = path.remoteLog() + (end == logLength ? 0 : end);
            queuePair.stageWrite(path.zero(), WORD, path.zeroKey(), frontier, path.remoteKey());
            queuePair.stageWrite(
                    local + WORD,
                    dataLength - WORD,
                    path.localKey(),
                    remote + WORD,
                    path.remoteKey());
        }
    }

    private static long logOffset(LogPath path, long position) {
        int termLength = path.termLength();
        int partition = LogLayout.partition(position, LogLayout.positionBitsToShift(termLength));
        return (long) partition * termLength + LogLayout.termOffset(position, termLength);
    }
}
