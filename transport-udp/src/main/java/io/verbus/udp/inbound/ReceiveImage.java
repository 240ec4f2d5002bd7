// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.logbuffer.FrameCheck;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.InboundImage;
import io.verbus.udp.link.ReceiverCounters;
import io.verbus.udp.link.UdpOptions;
import io.verbus.udp.socket.SocketAddress;
import io.verbus.udp.wire.Frames;
import io.verbus.udp.wire.HeartbeatFrame;
import io.verbus.udp.wire.NakFrame;
import io.verbus.udp.wire.RttFrame;
import io.verbus.udp.wire.StatusFrame;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * An image that is rebuilt from datagrams. The receiver's, but for {@link #clean}, which is the
 * conductor's.
 *
 * <pre>
 *    cleaned          consumed         rebuilt     highest     granted
 *  -----+-----------------+---------------+-----------+-----------+--- cleaned + 2 terms
 *       |  to be zeroed   |   complete    |  frames,  |  zero     |
 *       |                 |               |  and gaps |           |
 *  -----+-----------------+---------------+-----------+-----------+---
 * </pre>
 *
 * Frames come in any order, so that subscribers must find a zero word at each place where one may
 * begin: the conductor zeroes what is consumed, and the receiver takes no frame beyond what it has
 * granted, which lies less than three terms past what is zeroed. A padding frame alone may reach
 * beyond: only its header is stored.
 */
final class ReceiveImage {
    /** Part of a term that is cleaned at once: what waits to be is less than the room it has. */
    private static final int CLEAN_STEPS = 8;

    /** A sender that is silent for so long may come back from another address. */
    private static final long SILENCE_NS = 1_000_000_000;

    /** Status messages that set-ups ask for are at least so far apart. */
    private static final long MIN_STATUS_INTERVAL_NS = 10_000_000;

    private static final long MAX_GROUP_BACKOFF_NS = 10_000_000;
    private static final int STATUS_PARTS = 4;
    private static final int MAX_BACKOFF = 8;
    private static final long NONE = -1;

    private final InboundImage image;
    private final ReceiveEndpoint endpoint;
    private final UdpOptions options;
    private final ReceiverCounters counters;
    private final LogBuffers log;
    private final LogCleaner cleaner;
    private final LossTally losses;
    private final SocketAddress source = new SocketAddress();
    private final long receiverId;
    private final boolean reliable;
    private final boolean isGroup;
    private final boolean isTagged;
    private final long groupTag;
    private final int statusLength;
    private final CongestionControl congestion;
    private final RoundTripProbe probe;
    private final int sessionId;
    private final int streamId;
    private final int initialTermId;
    private final int mtu;
    private final int termLength;
    private final int bitsToShift;
    private final UnsafeBuffer frame =
            new UnsafeBuffer(ByteBuffer.allocateDirect(StatusFrame.TAGGED_LENGTH));
    private long rebuilt;

    /** What of that the congestion control knows. */
    private long progress;

    private long highest;
    private long granted;
    private long statusPosition = NONE;
    private boolean statusDue = true;
    private long statusNs;
    private long frameNs;
    private long sourceNs;
    private long endPosition = NONE;
    private boolean ended;
    private long gapBegin = NONE;
    private long nakDueNs;
    private long nakIntervalNs;
    private boolean gapCounted;
    private boolean broken;
    private boolean isLeftBehind;

    ReceiveImage(
            InboundImage image,
            ReceiveEndpoint endpoint,
            SocketAddress source,
            UdpOptions options,
            ReceiverCounters counters,
            long receiverId,
            long position,
            boolean isGroup,
            long nowNs) {
        this.image = image;
        this.endpoint = endpoint;
        this.options = options;
        this.counters = counters;
        this.receiverId = receiverId;
        this.source.set(endpoint.replyTo(source));
        this.isGroup = isGroup || endpoint.isGroup();
        isTagged = endpoint.terms().groupTag() != null;
        groupTag = isTagged ? endpoint.terms().groupTag() : 0;
        statusLength = isTagged ? StatusFrame.TAGGED_LENGTH : StatusFrame.LENGTH;
        log = image.log();
        cleaner = new LogCleaner(log, position);
        reliable = endpoint.terms().isReliable();
        sessionId = log.spec().sessionId();
        streamId = log.spec().streamId();
        initialTermId = log.spec().initialTermId();
        termLength = log.spec().termLength();
        bitsToShift = LogLayout.positionBitsToShift(termLength);
        mtu = log.spec().mtu();
        congestion = endpoint.terms().congestionControl(termLength, mtu);
        probe = new RoundTripProbe(receiverId);
        losses =
                new LossTally(
                        streamId, sessionId, endpoint.description(), source.toString(), nowNs);
        rebuilt = position;
        progress = position;
        highest = position;
        granted = position;
        statusNs = nowNs;
        frameNs = nowNs;
        sourceNs = nowNs;
    }

    InboundImage image() {
        return image;
    }

    ReceiveEndpoint endpoint() {
        return endpoint;
    }

    long key() {
        return ReceiveEndpoint.key(streamId, sessionId);
    }

    int initialTermId() {
        return initialTermId;
    }

    /** Whether the end of the stream has been reached. */
    boolean hasEnded() {
        return ended;
    }

    // Conductor

    /** Zeroes a step of what is consumed. Returns the amount of work done. */
    int clean() {
        long consumed = image.consumedPosition();
        int step = termLength / CLEAN_STEPS;
        return consumed - cleaner.cleaned() < step ? 0 : cleaner.clean(consumed, step);
    }

    /** What of the stream was lost. */
    LossTally losses() {
        return losses;
    }

    // Receiver

    /**
     * Takes the data frames that a part of a datagram begins with, as far as one follows upon the
     * other in the stream.
     *
     * @param part of the datagram, with one frame's header at least.
     * @param from where it came from.
     * @param nowNs monotonic time.
     * @return bytes of the part that were taken, whether stored or not; -1 if no sender of this
     *     stream sends such.
     */
    int onData(UnsafeBuffer part, SocketAddress from, long nowNs) {
        int offset = part.getInt(FrameHeader.TERM_OFFSET);
        int termId = part.getInt(FrameHeader.TERM_ID);
        long term = (long) (termId - initialTermId) << bitsToShift;
        if (term < 0 || offset < 0 || offset > termLength || offset % FrameHeader.ALIGNMENT != 0) {
            return -1;
        }
        long position = term + offset;
        if (part.getInt(FrameHeader.FRAME_LENGTH) == 0) {
            onHeartbeat(part, position, from, nowNs);
            return HeartbeatFrame.LENGTH;
        }
        int length = FrameRow.length(part, offset, termLength, termId, sessionId, streamId);
        if (length == 0) {
            return -1;
        }
        int taken = Math.min(FrameHeader.align(length), part.capacity());
        if (length > mtu) {
            counters.joinedRows.incrementRelease();
        }
        if (position + length > granted) {
            counters.overRuns.incrementRelease();
            // A group may leave a slow receiver behind: two terms later nobody has what it misses.
            isLeftBehind = isGroup && position - rebuilt > 2L * termLength;
            return taken;
        }
        heard(from, nowNs);
        if (position + length <= rebuilt) {
            counters.underRuns.incrementRelease();
            return taken;
        }
        UnsafeBuffer target = log.term(LogLayout.partition(position, bitsToShift));
        int duplicates = FrameRow.insert(target, offset, part, length, rebuilt - position);
        if (duplicates > 0) {
            counters.duplicates.getAndAddRelease(duplicates);
        }
        highest = Math.max(highest, Math.min(position + FrameHeader.align(length), granted));
        advance();
        return taken;
    }

    private void advance() {
        while (rebuilt < highest) {
            int offset = LogLayout.termOffset(rebuilt, termLength);
            long word = log.term(LogLayout.partition(rebuilt, bitsToShift)).getLong(offset);
            if (word == 0) {
                return;
            }
            if (!FrameCheck.isValid(word, offset, termLength)) {
                broken = true;
                return;
            }
            rebuilt += FrameHeader.align(FrameHeader.length(word));
        }
    }

    private void onHeartbeat(UnsafeBuffer datagram, long position, SocketAddress from, long nowNs) {
        if (position > granted + termLength) {
            counters.overRuns.incrementRelease();
            return;
        }
        heard(from, nowNs);
        highest = Math.max(highest, Math.min(position, granted));
        if ((Frames.flags(datagram, 0) & Frames.FLAG_END_OF_STREAM) != 0 && position >= rebuilt) {
            endPosition = position;
        }
    }

    private void heard(SocketAddress from, long nowNs) {
        frameNs = nowNs;
        if (source.isSame(from)) {
            sourceNs = nowNs;
        }
    }

    /** The sender asks for a status message, maybe from a new address. */
    void onSetup(SocketAddress from, long nowNs) {
        if (endpoint.hasControl() || source.isSame(from)) {
            sourceNs = nowNs;
        } else if (nowNs - sourceNs >= SILENCE_NS) {
            source.set(from);
            sourceNs = nowNs;
        }
        if (nowNs - statusNs >= MIN_STATUS_INTERVAL_NS) {
            statusDue = true;
        }
    }

    /**
     * One turn of the duty cycle.
     *
     * @return the amount of work done.
     */
    int work(long nowNs) {
        int work = 0;
        long consumed = image.consumedPosition();
        if (rebuilt > progress) {
            congestion.onProgress(rebuilt - progress, nowNs);
            progress = rebuilt;
        }
        if (congestion.needsRoundTrip() && probe.isDue(nowNs)) {
            probe.ask(frame, sessionId, streamId, nowNs);
            endpoint.send(source, frame, RttFrame.LENGTH);
            work++;
        }
        if (statusDue
                || consumed - statusPosition >= congestion.window() / STATUS_PARTS
                || nowNs - statusNs >= options.statusIntervalNs()) {
            sendStatus(consumed, nowNs);
            work++;
        }
        if (rebuilt < highest && !broken) {
            work += recover(nowNs);
        }
        if (!ended && endPosition != NONE && rebuilt >= endPosition) {
            ended = true;
            endpoint.tell(new ReceiverEvent.Ended(this, endPosition));
            work++;
        }
        return work;
    }

    /** The sender answers to a measurement of the round trip time. */
    void onRoundTrip(UnsafeBuffer answer, long nowNs) {
        long rttNs = probe.onAnswer(answer, nowNs);
        if (rttNs >= 0) {
            congestion.onRoundTrip(rttNs);
            counters.roundTrips.incrementRelease();
        }
    }

    /** Why nothing more is to be expected of the sender; null if there is hope. */
    String lost(long nowNs) {
        if (broken) {
            return "the sender's frames overlap, so that no frame begins at position " + rebuilt;
        }
        if (isLeftBehind) {
            return "the sender has left this receiver behind at position "
                    + rebuilt
                    + ": have its channel name fc=min, or consume faster";
        }
        return !ended && nowNs - frameNs >= options.imageTimeoutNs()
                ? "the sender has been silent for " + options.imageTimeoutNs() / 1_000_000 + " ms"
                : null;
    }

    private void sendStatus(long consumed, long nowNs) {
        long limit = Math.max(cleaner.limit(consumed, congestion.window()), granted);
        writeStatus(0, consumed, (int) Math.max(limit - consumed, 0));
        if (endpoint.send(source, frame, statusLength)) {
            statusPosition = consumed;
            statusDue = false;
            granted = limit;
            image.grantedPosition(consumed);
        }
        statusNs = nowNs;
    }

    private void writeStatus(int flags, long position, int bytes) {
        StatusFrame.write(
                frame,
                flags,
                sessionId,
                streamId,
                LogLayout.termId(position, bitsToShift, initialTermId),
                LogLayout.termOffset(position, termLength),
                bytes,
                receiverId);
        if (isTagged) {
            StatusFrame.tag(frame, groupTag);
        }
    }

    /** Tells the sender that nobody receives the stream here any more. */
    void sendLeave() {
        writeStatus(StatusFrame.FLAG_END_OF_STREAM, Math.min(image.consumedPosition(), rebuilt), 0);
        endpoint.send(source, frame, statusLength);
    }

    /** Receivers of a group that miss the same wait apart: the first to ask serves all. */
    private long backoffNs() {
        return isGroup ? ThreadLocalRandom.current().nextLong(MAX_GROUP_BACKOFF_NS) : 0;
    }

    private int recover(long nowNs) {
        if (gapBegin != rebuilt) {
            gapBegin = rebuilt;
            gapCounted = false;
            nakDueNs = nowNs + options.nakDelayNs() + backoffNs();
            nakIntervalNs = options.nakRetryNs();
            return 0;
        }
        if (nowNs - nakDueNs < 0) {
            return 0;
        }
        UnsafeBuffer term = log.term(LogLayout.partition(rebuilt, bitsToShift));
        int offset = LogLayout.termOffset(rebuilt, termLength);
        int bound = (int) Math.min(highest - rebuilt + offset, termLength);
        int length = TermRebuilder.gapEnd(term, offset, bound) - offset;
        int termId = LogLayout.termId(rebuilt, bitsToShift, initialTermId);
        if (!gapCounted) {
            gapCounted = true;
            counters.losses.incrementRelease();
            losses.add(length);
            congestion.onLoss(nowNs);
        }
        if (reliable) {
            NakFrame.write(frame, sessionId, streamId, termId, offset, length);
            if (endpoint.send(source, frame, NakFrame.LENGTH)) {
                counters.naksSent.incrementRelease();
            }
            nakDueNs = nowNs + nakIntervalNs + backoffNs();
            nakIntervalNs = Math.min(2 * nakIntervalNs, MAX_BACKOFF * options.nakRetryNs());
        } else {
            TermRebuilder.fill(term, offset, length, sessionId, streamId, termId);
            counters.gapsSkipped.incrementRelease();
            advance();
        }
        return 1;
    }
}
