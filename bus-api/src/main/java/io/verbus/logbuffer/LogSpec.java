// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

import io.verbus.BusException;

/**
 * What is fixed about a log when its file is created.
 *
 * @param type what the log is for.
 * @param registrationId of the publication or image.
 * @param sessionId of the stream's publisher.
 * @param streamId of the stream.
 * @param initialTermId of the first term.
 * @param termLength in bytes, a power of two.
 * @param mtu longest frame in bytes, a multiple of 32.
 * @param position at which the log begins, a multiple of 32.
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
    /** Longest MTU in bytes. */
    public static final int MAX_MTU = 65504;

    /** Shortest MTU in bytes. */
    public static final int MIN_MTU = 64;

    /**
     * Checks every value.
     *
     * @throws BusException that names the wrong one.
     */
    public LogSpec {
        LogLayout.checkTermLength(termLength);
        if (mtu < MIN_MTU || mtu > MAX_MTU || mtu % FrameHeader.ALIGNMENT != 0) {
            throw new BusException(
                    "MTU "
                            + mtu
                            + " is not a multiple of 32 from "
                            + MIN_MTU
                            + " to "
                            + MAX_MTU
                            + ": choose one, such as 8192");
        }
        if (position < 0
                || position >= LogLayout.maxPosition(termLength)
                || position % FrameHeader.ALIGNMENT != 0) {
            throw new BusException(
                    "position "
                            + position
                            + " is not a multiple of 32 from 0 to below "
                            + LogLayout.maxPosition(termLength)
                            + ": it cannot begin a log");
        }
    }
}
