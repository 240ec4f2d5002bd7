// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;

/**
 * The parameters of a log that are fixed when its file is created.
 *
 * @param type type of the log.
 * @param registrationId registration id of the publication or image.
 * @param sessionId session id of the stream's publisher.
 * @param streamId stream id.
 * @param initialTermId id of the first term.
 * @param termLength term length in bytes, a power of two.
 * @param mtu maximum length of a frame in bytes, a multiple of 32.
 * @param position position at which the log starts, a multiple of 32.
 */
public record LogSpec(
        LogType type,
        long registrationId,
        int sessionId,
        int streamId,
        int initialTermId,
        int termLength,
        int mtu,
        long position) {
    /** Maximum MTU in bytes. */
    public static final int MAX_MTU = 65504;

    /** Minimum MTU in bytes. */
    public static final int MIN_MTU = 64;

    /**
     * Checks every value.
     *
     * @throws BusException if a value is invalid.
     */
    public LogSpec {
        LogLayout.checkTermLength(termLength);
        if (mtu < MIN_MTU || mtu > MAX_MTU || mtu % FrameHeader.ALIGNMENT != 0) {
            throw new BusException(
                    "MTU "
                            + mtu
                            + " is invalid: it must be a multiple of 32 from "
                            + MIN_MTU
                            + " to "
                            + MAX_MTU
                            + ", such as 8192");
        }
        if (position < 0
                || position >= LogLayout.maxPosition(termLength)
                || position % FrameHeader.ALIGNMENT != 0) {
            throw new BusException(
                    "position "
                            + position
                            + " is invalid: it must be a multiple of 32, at least 0 and below "
                            + LogLayout.maxPosition(termLength));
        }
    }
}
