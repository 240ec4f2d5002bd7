// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

/**
 * The check that stands between a frame's first word and its use.
 *
 * <p>A reader loads the word once, with acquire, and afterwards uses only the value that was
 * checked: the memory may change again under a hostile writer.
 */
public final class FrameCheck {
    private FrameCheck() {}

    /**
     * Whether a committed frame can be: header and payload end within the term, and its type is
     * known.
     *
     * @param word first word of the frame, of positive frame length.
     * @param offset of the frame in its term, a multiple of 32.
     * @param termLength in bytes.
     */
    public static boolean isValid(long word, int offset, int termLength) {
        // What is left of a term is a multiple of the alignment: an aligned length fits if any
        // does.
        int length = FrameHeader.length(word);
        return length >= FrameHeader.LENGTH
                && length <= termLength - offset
                && FrameHeader.type(word) <= FrameHeader.TYPE_DATA;
    }

    /**
     * Whether a frame is committed, valid and of data, at the cost of two comparisons.
     *
     * @param word first word of the frame.
     * @param offset of the frame in its term, a multiple of 32.
     * @param termLength in bytes, more than the offset.
     */
    public static boolean isData(long word, int offset, int termLength) {
        // As unsigned, what is shorter than a header is too long.
        int payload = FrameHeader.length(word) - FrameHeader.LENGTH;
        return Integer.compareUnsigned(payload, termLength - offset - FrameHeader.LENGTH) <= 0
                && FrameHeader.type(word) == FrameHeader.TYPE_DATA;
    }

    /**
     * Names what is wrong with a frame.
     *
     * @param word first word of the frame.
     * @param position of the frame in its stream.
     * @param offset of the frame in its term.
     * @param termLength in bytes.
     * @return the exception to throw.
     */
    public static InvalidFrameException invalid(
            long word, long position, int offset, int termLength) {
        int length = FrameHeader.length(word);
        int type = FrameHeader.type(word);
        String problem =
                length < FrameHeader.LENGTH
                        ? "has the length " + length + ", less than its header's 32 bytes"
                        : length > termLength - offset
                                ? "has the length "
                                        + length
                                        + " with only "
                                        + (termLength - offset)
                                        + " bytes left in its term"
                                : "has the unknown type " + type;
        return new InvalidFrameException(position, word, problem);
    }
}
