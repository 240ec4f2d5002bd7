// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogScanner;
import io.verbus.rdma.common.CreditLine;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.StreamHops;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The data path of one transfer. Writes committed frames into the peer's image, within the peer's
 * credit. Created by the conductor, then used only by the sender.
 */
class Replication {
    private final OutboundStream stream;
    private final LogBuffers log;
    private final LogScanner scanner;
    private final LocalKey logKey;
    private final UnsafeBuffer credit;

    /** Null if the channel requests no timestamps. */
    private final SendTimestamps timestamps;

    /** Sampler of the stream's hops; null if they are not sampled. */
    private final StreamHops hops;

    private LogPath path;
    private int window;
    private int maxBatch;

    /** Position up to which the peer has released the log. */
    private long consumed;

    /** Whether frames are ready but exceed the peer's credit. */
    private boolean isStalled;

    /** Number of work requests after which the log was read up to {@link #markedPosition}. */
    private long mark;

    /** Position to report once the mark is reached; {@link #readTo} if there is no mark. */
    private long markedPosition;

    /** Position up to which the adapter has read the log, as reported. */
    private long readTo;

    /** Whether requests were staged since the last mark. */
    private boolean hasUnmarked;

    /**
     * @param publication publication to send; its log is registered.
     * @param creditSlot credit slot that the peer writes; see {@link CreditLine}.
     * @param consumed position up to which the peer has released the log on an earlier connection.
     * @param hops sampler of the stream's hops; null if they are not sampled.
     */
    Replication(
            OutboundPublication publication,
            CreditSlots.Slot creditSlot,
            long consumed,
            StreamHops hops) {
        this.stream = publication.stream;
        this.timestamps = publication.timestamps();
        this.log = stream.log();
        this.scanner = new LogScanner(log);
        this.logKey = publication.log().localKey();
        this.credit = creditSlot.buffer();
        this.consumed = consumed;
        this.hops = hops;
    }

    /** Returns the position up to which the peer has released the log. */
    long consumed() {
        return consumed;
    }

    /** Returns the source and target of the writes; null before the peer has accepted. */
    LogPath path() {
        return path;
    }

    /**
     * Sets the position up to which the peer has released the stream. Called before the stream is
     * offered.
     */
    void awaitFrom(long position) {
        consumed = position;
        credit.putLongRelease(CreditLine.POSITION, position);
    }

    /**
     * Starts sending after the peer has accepted.
     *
     * @param port port to send through.
     * @param imageLog address of the image's log in the peer's memory.
     * @param imageKey key for the image's log.
     * @param creditWindow number of bytes that may be sent beyond the released position.
     * @param longestBatch maximum length of a batch in bytes.
     */
    void begin(
            OutboundPort port,
            long imageLog,
            RemoteKey imageKey,
            int creditWindow,
            int longestBatch) {
        path =
                new LogPath(
                        log.address(),
                        logKey,
                        port.zeroAddress(),
                        port.zeroKey(),
                        imageLog,
                        imageKey,
                        log.spec().termLength());
        window = creditWindow;
        maxBatch = Math.min(longestBatch, port.batchLength());
        isStalled = false;
        if (hops != null) {
            hops.reset();
        }
    }

    /**
     * Starts reporting up to which position the adapter has read the log. On the same connection,
     * it may still read what was sent to an earlier image.
     */
    void trackReads(OutboundPort port) {
        boolean isReading = hasUnmarked || port.sent() < mark;
        setMark(port);
        readTo = isReading ? Math.min(readTo, markedPosition) : markedPosition;
        stream.onLogRead(readTo);
    }

    private void setMark(OutboundPort port) {
        mark = port.posted();
        markedPosition = postedPosition();
        hasUnmarked = false;
    }

    /** Reports up to which position the adapter has read the log, if it has read on. */
    void reportReads(OutboundPort port) {
        boolean isMarked = markedPosition != readTo;
        if (isMarked && port.sent() >= mark) {
            readTo = markedPosition;
            stream.onLogRead(readTo);
            isMarked = false;
        }
        if (!isMarked && hasUnmarked) {
            setMark(port);
        }
    }

    /**
     * Notes that a request was staged. If publishers may soon wait for the part of the log that the
     * adapter still reads, the next request reports its completion, which others need not do.
     *
     * @param sent sent position.
     */
    final void onStaged(OutboundPort port, long sent) {
        hasUnmarked = true;
        if (isReadLate(sent)) {
            port.requestCompletion();
        }
    }

    private boolean isReadLate(long sent) {
        return sent - readTo > log.spec().termLength() / 2;
    }

    /** Returns the position from which further work requests may read the log. */
    long postedPosition() {
        return stream.senderPosition();
    }

    /**
     * Returns whether the stream must be serviced although it has nothing to send: credit or the
     * adapter is awaited, for unsent frames or for a back-pressured publisher.
     */
    boolean isWaiting() {
        long sent = stream.senderPosition();
        return isStalled || consumed != sent || isReadLate(sent);
    }

    /**
     * Reads the credit that the peer has written.
     *
     * @param port port to fail if the credit is invalid.
     * @return whether the credit is valid.
     */
    boolean takeCredit(OutboundPort port) {
        long granted = credit.getLongAcquire(CreditLine.POSITION);
        if (granted == consumed) {
            return true;
        }
        long sent = stream.senderPosition();
        if (granted < consumed || granted > sent || granted % FrameHeader.ALIGNMENT != 0) {
            port.violated(
                    "stream "
                            + log.spec().streamId()
                            + " session "
                            + log.spec().sessionId()
                            + " was granted the invalid position "
                            + granted
                            + ": it must be a multiple of 32 from the consumed position "
                            + consumed
                            + " to the sent position "
                            + sent);
            return false;
        }
        consumed = granted;
        stream.onReleased(granted, window);
        if (hops != null) {
            hops.onReleased(granted);
        }
        return true;
    }

    /**
     * Sends one batch, if frames are ready.
     *
     * <p>A frame may begin within the receiver's credit and end beyond it, so that a small window
     * cannot block a long frame forever. Nothing is sent further than two terms beyond the consumed
     * position, however. If the credit covers the rest of the term, no frame ends beyond the
     * credit.
     *
     * @param port port to send through.
     * @return the work count.
     * @throws InvalidFrameException if the log is damaged.
     */
    int send(OutboundPort port) {
        long position = stream.senderPosition();
        long limit = consumed + window;
        long end = position < limit ? scanner.available(position, limit, maxBatch) : position;
        if (end == position && limit < termEnd(position)) {
            end = scanner.available(position, consumed + 2L * path.termLength(), 0);
            if (end > position && position >= limit) {
                stall(port);
                return 0;
            }
        }
        if (end == position) {
            return 0;
        }
        boolean isSampled = hops != null && hops.onSight();
        int length = (int) (end - position);
        int dataLength = length - scanner.padding();
        if (timestamps != null) {
            timestamps.stamp(position, dataLength);
        }
        if (!stage(port, position, dataLength, length)) {
            return 0;
        }
        if (timestamps != null) {
            timestamps.sent(position, end);
        }
        if (isSampled) {
            port.sample(hops, end, !commitsLater());
        }
        isStalled = false;
        stream.senderPosition(end);
        onStaged(port, end);
        return 1;
    }

    /** Stages a batch; returns false if there is no room. */
    boolean stage(OutboundPort port, long position, int dataLength, int length) {
        return port.stageBatch(path, position, dataLength, length);
    }

    /** Returns whether batches are staged without the word that commits them. */
    boolean commitsLater() {
        return false;
    }

    /** Returns the sampler of the stream's hops; null if they are not sampled. */
    final StreamHops hops() {
        return hops;
    }

    /** Commits everything that was sent, if possible. Returns whether everything is committed. */
    boolean settle(OutboundPort port) {
        return true;
    }

    private long termEnd(long position) {
        return (position | path.termLength() - 1) + 1;
    }

    private void stall(OutboundPort port) {
        if (!isStalled) {
            isStalled = true;
            stream.onCreditStall();
            port.onCreditStall();
        }
    }
}
