// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.LogLayout;
import io.verbus.rdma.fabric.QueuePair;

/**
 * Writes batches of committed frames into a remote log.
 *
 * <p>Invariant: <b>the word at the frontier of the remote log is zero until everything after it is
 * in place.</b> The frontier is where the next batch will begin. A reader that loads a frame length
 * there, with acquire, therefore finds the whole batch, and a zero word after it. Data left over
 * from an earlier lap is never mistaken for a frame, and the log needs no cleaning.
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
 * <p>WR 1 is one write to [P+8, E+8), gathered from [P+8, E) of the local log and a word of zeros.
 * WR 2 writes the first word of the batch over the zero at P. In two cases the zero cannot be
 * gathered, and a separate work request writes it first: at the end of a term, to the first word of
 * the next term; and after a padding frame, whose body is not sent, to the word that follows the
 * frame.
 *
 * <p>This relies on two guarantees of a reliable connection without relaxed ordering: writes become
 * visible in the order in which they were posted, and an aligned word becomes visible as a whole.
 * Nothing is assumed about the order within a write. If the first guarantee may not hold, WR 2 is
 * posted only once WR 1 is known to be in place: see {@link ConfirmedReplication}. The zero
 * overwrites only data that has already been consumed, because {@code E <= consumed + 2 terms}.
 */
public final class CommitRule {
    /** Maximum number of work requests per batch. */
    public static final int MAX_WORK_REQUESTS = 3;

    private static final int WORD = Long.BYTES;

    private CommitRule() {}

    /**
     * Stages the writes of a batch.
     *
     * @param queuePair queue pair with room for at least {@link #MAX_WORK_REQUESTS} work requests.
     * @param path path of the log.
     * @param position start of the batch, P.
     * @param dataLength number of bytes to send from P: up to E, or up to the end of the header if
     *     the batch ends with a padding frame.
     * @param length length of the batch, E - P; within one term.
     */
    public static void stage(
            QueuePair queuePair, LogPath path, long position, int dataLength, int length) {
        long offset = logOffset(path, position);
        long local = path.localLog() + offset;
        long remote = path.remoteLog() + offset;
        stageBody(queuePair, path, offset, local, remote, dataLength, length);
        queuePair.stageWrite(local, WORD, path.localKey(), remote, path.remoteKey());
    }

    /** Stages a batch without its first word. Takes the same parameters as {@link #stage}. */
    static void stageBody(
            QueuePair queuePair, LogPath path, long position, int dataLength, int length) {
        long offset = logOffset(path, position);
        long local = path.localLog() + offset;
        long remote = path.remoteLog() + offset;
        stageBody(queuePair, path, offset, local, remote, dataLength, length);
    }

    /** Stages the first word of a batch, which makes the batch visible to the reader. */
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
