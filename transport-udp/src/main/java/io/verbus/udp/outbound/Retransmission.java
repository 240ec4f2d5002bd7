// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.OutboundStream;
import io.verbus.udp.common.SenderCounters;
import io.verbus.udp.common.UdpOptions;

/** Sends again what receivers of a stream miss, as long as it is kept. Sender's thread. */
final class Retransmission {
    private final OutboundStream stream;
    private final LogSource source;
    private final SenderCounters counters;
    private final Retransmits ranges;
    private final int termLength;
    private final int bitsToShift;
    private final int initialTermId;

    /** How far behind the sender a range may begin, in bytes. */
    private final long reach;

    /**
     * @param source of the stream's log.
     * @param options of the transport.
     */
    Retransmission(
            OutboundStream stream, LogSource source, SenderCounters counters, UdpOptions options) {
        this.stream = stream;
        this.source = source;
        this.counters = counters;
        ranges =
                new Retransmits(
                        stream.channel().datagrams().maxResend().orElse(options.maxResend()),
                        options.retransmitLingerNs());
        termLength = stream.log().spec().termLength();
        reach =
                options.resendsHalfTerm()
                        ? termLength / 2 + LogLayout.maxMessageLength(termLength)
                        : Long.MAX_VALUE;
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        initialTermId = stream.log().spec().initialTermId();
    }

    /**
     * A receiver misses a range of a term. Ignores one that was not sent, is no longer kept, is out
     * of {@link UdpOptions#resendsHalfTerm reach}, or begins where no frame does.
     *
     * @param floor position from which on the log is kept.
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
     * Sends a batch of what is asked for, if anything is.
     *
     * @param floor position from which on the log is kept.
     * @return the amount of work done.
     * @throws InvalidFrameException if the log is damaged there.
     */
    int send(DestinationPort port, long floor) {
        int index = ranges.pending();
        if (index < 0) {
            return 0;
        }
        long end = ranges.end(index);
        long from = Math.max(ranges.next(index), floor);
        long reached = from < end ? source.refill(port, from, end, stream.senderPosition()) : from;
        if (reached == from) {
            ranges.cut(index); // consumed meanwhile, or no frame begins there
            return 0;
        }
        int staged = port.batch().count();
        int sent = port.flush();
        if (sent > 0) {
            if (!ranges.isBegun(index)) {
                counters.retransmits.incrementRelease();
            }
            long sentTo = sent == staged ? reached : source.end(sent - 1);
            counters.retransmittedBytes.getAndAddRelease(sentTo - from);
            ranges.sentTo(index, sentTo);
        }
        return staged;
    }
}
