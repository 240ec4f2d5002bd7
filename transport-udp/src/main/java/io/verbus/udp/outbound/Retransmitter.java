// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.OutboundStream;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.common.UdpOptions;

/**
 * Retransmits the data that receivers of a stream are missing, while the log still holds it. Used
 * by the sender's thread only.
 */
final class Retransmitter {
    private final OutboundStream stream;
    private final LogSource source;
    private final DestinationPort port;
    private final SenderCounters counters;
    private final MissingRanges ranges;
    private final int termLength;
    private final int bitsToShift;
    private final int initialTermId;

    /** How far behind the sender position a range may begin, in bytes. */
    private final long reach;

    /**
     * @param source source of the stream's log.
     * @param port port through which the source stages datagrams.
     * @param options options of the transport.
     */
    Retransmitter(
            OutboundStream stream,
            LogSource source,
            DestinationPort port,
            SenderCounters counters,
            UdpOptions options) {
        this.stream = stream;
        this.source = source;
        this.port = port;
        this.counters = counters;
        ranges =
                new MissingRanges(
                        stream.channel().datagrams().maxResend().orElse(options.maxResend()),
                        options.retransmitLingerNs());
        termLength = stream.log().spec().termLength();
        reach =
                options.givesUpSlowReceivers()
                        ? termLength / 2 + LogLayout.maxMessageLength(termLength)
                        : Long.MAX_VALUE;
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        initialTermId = stream.log().spec().initialTermId();
    }

    /**
     * Handles a NAK. Ignores ranges that were not sent, are no longer in the log, are out of {@link
     * UdpOptions#givesUpSlowReceivers reach}, or do not start with a frame.
     *
     * @param floor lowest position that the log still holds.
     */
    void onNak(int termId, int termOffset, int length, long floor, long nowNs) {
        counters.naksReceived.incrementRelease();
        stream.onNak();
        long begin = ((long) (termId - initialTermId) << bitsToShift) + termOffset;
        long sent = stream.senderPosition();
        boolean isRange =
                termOffset >= 0
                        && termOffset % FrameHeader.ALIGNMENT == 0
                        && length > 0
                        && length <= termLength - termOffset;
        if (!isRange
                || begin < floor
                || sent - begin > reach
                || begin >= sent
                || !source.isFrame(begin)
                || !ranges.add(begin, Math.min(begin + length, sent), nowNs)) {
            counters.naksIgnored.incrementRelease();
        }
    }

    /**
     * Retransmits a batch, if anything was requested.
     *
     * @param floor lowest position that the log still holds.
     * @return work count.
     * @throws InvalidFrameException if the log is damaged.
     */
    int send(long floor) {
        int index = ranges.pending();
        if (index < 0) {
            return 0;
        }
        long end = ranges.end(index);
        long from = Math.max(ranges.next(index), floor);
        if (from >= end || source.refill(from, end, stream.senderPosition()) == from) {
            ranges.cut(index); // the range was consumed in the meantime, or no frame starts there
            return 0;
        }
        long sentTo = port.flush(from);
        if (sentTo > from) {
            if (!ranges.isBegun(index)) {
                counters.retransmits.incrementRelease();
            }
            counters.retransmittedBytes.getAndAddRelease(sentTo - from);
            ranges.sentTo(index, sentTo);
        }
        return 1;
    }
}
