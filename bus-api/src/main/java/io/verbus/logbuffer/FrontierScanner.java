// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

/** Finds where an image's log ends when its writer is gone. Set-up code: allocates. */
public final class FrontierScanner {
    /**
     * Where a log ends.
     *
     * @param position of the first word that is zero, or of the frame that is invalid.
     * @param defect what is wrong with the frame there, or null if nothing is.
     */
    public record Frontier(long position, InvalidFrameException defect) {}

    private FrontierScanner() {}

    /**
     * Walks the frames from a position to the frontier. Nothing may write to the log any more.
     *
     * @param log of the image.
     * @param position of a frame or of the frontier; all before it has been consumed.
     * @return where the log ends, three terms further at most.
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
     * Walks the frames from a position towards the frontier, for a part of the way. The log may be
     * written to meanwhile.
     *
     * @param log to look at.
     * @param position of a frame or of the frontier.
     * @param length in bytes after which the walk ends, with the frame that it is in.
     * @return where the log ends, or how far the walk went.
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
