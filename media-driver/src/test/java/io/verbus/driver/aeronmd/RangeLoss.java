// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.aeronmd;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.udp.socket.DatagramLoss;
import io.verbus.udp.wire.Frames;

import org.agrona.BitUtil;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Loses what lies in ranges of one term, of each stream, the first time that it comes: not what a
 * sender sends once more.
 *
 * <pre>
 *   |      |####|      |####|      |####|           first + n * distance, length; n below count
 * </pre>
 */
final class RangeLoss implements DatagramLoss {
    private final int termId;
    private final long first;
    private final long distance;
    private final long length;
    private final long count;

    /** By stream: the offset behind all that has been lost. */
    private final Long2LongHashMap lost = new Long2LongHashMap(0);

    private RangeLoss(int termId, long first, long distance, long length, long count) {
        this.termId = termId;
        this.first = first;
        this.distance = distance;
        this.length = length;
        this.count = count;
    }

    static DatagramLoss ofOneRange(Arguments arguments) {
        int length = arguments.integer("length");
        return new RangeLoss(
                arguments.integer("term-id"),
                arguments.integer("term-offset"),
                Math.max(1, length),
                length,
                1);
    }

    /** Gaps begin at multiples of the radix, which is rounded up to a power of two; none at 0. */
    static DatagramLoss ofGaps(Arguments arguments) {
        int radix = BitUtil.findNextPositivePowerOfTwo(arguments.integer("gap-radix"));
        int length = arguments.integer("gap-length");
        if (length >= radix) {
            throw new IllegalArgumentException(
                    "gap-length is " + length + ": it must be below gap-radix, " + radix);
        }
        return new RangeLoss(
                arguments.integer("term-id"),
                radix,
                radix,
                length,
                arguments.integer("total-gaps"));
    }

    @Override
    public boolean isLost(UnsafeBuffer datagram, int datagramLength) {
        if (datagramLength < FrameHeader.LENGTH
                || Frames.type(datagram) > FrameHeader.TYPE_DATA
                || datagram.getInt(FrameHeader.TERM_ID) != termId) {
            return false;
        }
        int begin = datagram.getInt(FrameHeader.TERM_OFFSET);
        int end = begin + FrameHeader.align(datagramLength);
        long stream =
                (long) datagram.getInt(FrameHeader.STREAM_ID) << Integer.SIZE
                        | datagram.getInt(FrameHeader.SESSION_ID) & 0xFFFF_FFFFL;
        boolean isLost = isInRange(begin, end) && end > lost.get(stream);
        if (isLost) {
            lost.put(stream, end);
        }
        return isLost;
    }

    private boolean isInRange(int begin, int end) {
        long nth = Math.clamp(Math.floorDiv(end - 1 - first, distance), -1, count - 1);
        long from = first + nth * distance;
        return nth >= 0 && begin < from + length && end > from;
    }
}
