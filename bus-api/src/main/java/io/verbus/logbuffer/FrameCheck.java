// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

/**
 * Checks a frame's first word before the frame is used.
 *
 * <p>A reader loads the word once, with acquire, and then uses only the checked value: a hostile
 * writer may change the memory at any time.
 */
public final class FrameCheck {
    private FrameCheck() {}

    /**
     * Returns whether a committed frame is valid: it ends within the term and has a known type.
     *
     * @param word first word of the frame, with a positive frame length.
     * @param offset offset of the frame in its term, a multiple of 32.
     * @param termLength length of the term in bytes.
     */
    public static boolean isValid(long word, int offset, int termLength) {
        // What remains of a term is a multiple of the alignment, so if the length fits, the aligned
        // length fits too.
        int length = FrameHeader.length(word);
        return length >= FrameHeader.LENGTH
                && length <= termLength - offset
                && FrameHeader.type(word) <= FrameHeader.TYPE_DATA;
    }

    /**
     * Returns whether a frame is committed, valid and a data frame, with two comparisons.
     *
     * @param word first word of the frame.
     * @param offset offset of the frame in its term, a multiple of 32.
     * @param termLength length of the term in bytes, more than the offset.
     */
    public static boolean isData(long word, int offset, int termLength) {
        // Compared as an unsigned number, a length shorter than a header appears too long.
        int payload = FrameHeader.length(word) - FrameHeader.LENGTH;
        return Integer.compareUnsigned(payload, termLength - offset - FrameHeader.LENGTH) <= 0
                && FrameHeader.type(word) == FrameHeader.TYPE_DATA;
    }

    /**
     * Creates an exception that describes why a frame is invalid.
     *
     * @param word first word of the frame.
     * @param position position of the frame in its stream.
     * @param offset offset of the frame in its term.
     * @param termLength length of the term in bytes.
     * @return the exception to throw.
     */
    public static InvalidFrameException invalid(
            long word, long position, int offset, int termLength) {
        int length = FrameHeader.length(word);
        int type = FrameHeader.type(word);
        String problem =
                length < FrameHeader.LENGTH
                        ? "has length " + length + ", less than the 32 bytes of its header"
                        : length > termLength - offset
                                ? "has length "
                                        + length
                                        + ", but only "
                                        + (termLength - offset)
                                        + " bytes are left in its term"
                                : "has unknown type " + type;
        return new InvalidFrameException(position, word, problem);
    }
}
