// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

/**
 * Finds the frontier of an image's log, usually after its writer is gone. Allocates memory, so it
 * is not for the hot path.
 */
public final class FrontierScanner {
    /**
     * The end of a log.
     *
     * @param position position of the first zero word or invalid frame.
     * @param defect defect of the invalid frame; null for a zero word.
     */
    public record Frontier(long position, InvalidFrameException defect) {}

    private FrontierScanner() {}

    /**
     * Walks the frames from a position to the frontier. Nothing may write to the log.
     *
     * @param log log of the image.
     * @param position position of a frame or of the frontier; everything before it has been
     *     consumed.
     * @return the end of the log, at most three terms after the position.
     */
    public static Frontier scan(LogBuffers log, long position) {
        long length = (long) LogLayout.PARTITIONS * log.spec().termLength();
        Frontier frontier = scan(log, position, length);
        boolean isFound = frontier.defect != null || frontier.position - position < length;
        return isFound
                ? frontier
                : new Frontier(
                        frontier.position,
                        new InvalidFrameException(
                                frontier.position,
                                0,
                                "is three terms past the consumed position " + position));
    }

    /**
     * Walks the frames from a position towards the frontier, for a limited length. The log may be
     * written concurrently.
     *
     * @param log log to scan.
     * @param position position of a frame or of the frontier.
     * @param length number of bytes after which the walk ends, at the end of the frame that it has
     *     reached.
     * @return the end of the log, or the position at which the walk ended.
     */
    public static Frontier scan(LogBuffers log, long position, long length) {
        int termLength = log.spec().termLength();
        int bitsToShift = LogLayout.positionBitsToShift(termLength);
        long end = position + length;
        long at = position;
        while (at < end) {
            int offset = LogLayout.termOffset(at, termLength);
            long word = log.term(LogLayout.partition(at, bitsToShift)).getLongAcquire(offset);
            if (word == 0) {
                return new Frontier(at, null);
            }
            if (!FrameCheck.isValid(word, offset, termLength)) {
                return new Frontier(at, FrameCheck.invalid(word, at, offset, termLength));
            }
            at += FrameHeader.align(FrameHeader.length(word));
        }
        return new Frontier(at, null);
    }
}
