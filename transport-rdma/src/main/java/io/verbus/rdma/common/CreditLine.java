// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/**
 * Layout of a credit slot: the cache line in the publishing driver's memory that the subscribing
 * driver writes. One RDMA Write transfers both fields within one cache line.
 *
 * <pre>
 *  +---------------------------------------------------------------+
 *  |         consumption position, int64, multiple of 32           |  0
 *  +---------------------------------------------------------------+
 *  |     time of the writer in nanoseconds, int64, for people      |  8
 *  +---------------------------------------------------------------+ 64
 * </pre>
 */
public final class CreditLine {
    /** Length of a slot in bytes. */
    public static final int LENGTH = 64;

    /**
     * Offset of the consumption position, which the peer's receiver writes and the sender reads
     * with acquire.
     */
    public static final int POSITION = 0;

    /** Offset of the time. */
    public static final int TIME = 8;

    /** Number of bytes written. */
    public static final int WRITTEN_LENGTH = 16;

    private CreditLine() {}
}
