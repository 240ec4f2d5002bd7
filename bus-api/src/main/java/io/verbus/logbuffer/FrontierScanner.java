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
        int termLength = log.spec().termLength();
        int bitsToShift = LogLayout.positionBitsToShift(termLength);
        long end = position + (long) LogLayout.PARTITIONS * termLength;
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
        return new Frontier(
                at,
                new InvalidFrameException(
                        at, 0, "is three terms past the consumed position " + position));
    }
}
