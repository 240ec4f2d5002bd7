// SPDX-License-Identifier: Apache-2.0

package io.verbus.channel;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogLayout;

import java.util.Map;

/**
 * The position at which a publication starts, if not at its first term.
 *
 * @param initialTermId id of the first term of the stream.
 * @param termId id of the term in which the publication starts.
 * @param termOffset offset in that term in bytes, a multiple of 32.
 */
public record StreamStart(int initialTermId, int termId, int termOffset) {
    /**
     * Checks that the values are a position for some term length.
     *
     * @throws InvalidChannelException if not.
     */
    public StreamStart {
        if (termId - initialTermId < 0) {
            throw new InvalidChannelException(
                    "term-id "
                            + termId
                            + " is invalid: it must be at least init-term-id "
                            + initialTermId
                            + ", and less than 2^31 above it");
        }
        if (termOffset < 0 || termOffset % FrameHeader.ALIGNMENT != 0) {
            throw new InvalidChannelException(
                    "term-offset "
                            + termOffset
                            + " is invalid: it must be a multiple of 32, and not negative");
        }
    }

    /** Returns where a channel's publication starts; null for its first term. */
    static StreamStart of(Map<ChannelKey, Object> values) {
        return values.get(ChannelKey.INITIAL_TERM_ID) instanceof Integer initialTermId
                ? new StreamStart(
                        initialTermId,
                        ChannelKey.TERM_ID.number(values).orElse(initialTermId),
                        ChannelKey.TERM_OFFSET.number(values).orElse(0))
                : null;
    }

    /**
     * Returns the position of the start.
     *
     * @param termLength term length of the stream in bytes.
     * @throws InvalidChannelException if the term offset exceeds the term length.
     */
    public long position(int termLength) {
        if (termOffset > termLength) {
            throw new InvalidChannelException(
                    "term-offset "
                            + termOffset
                            + " exceeds the term length "
                            + termLength
                            + ": lower term-offset, or raise term-length");
        }
        return LogLayout.position(
                termId, termOffset, LogLayout.positionBitsToShift(termLength), initialTermId);
    }
}
