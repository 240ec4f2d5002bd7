// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogScanner;
import io.verbus.rdma.common.CreditLine;
import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.transport.FrameTimestamps;
import io.verbus.transport.OutboundStream;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The data path of one transfer: writes what is committed into the peer's image, as far as the
 * peer's credit goes. Made by the conductor, then the sender's alone.
 */
class Replication {
    private final OutboundStream stream;
    private final LogBuffers log;
    private final LogScanner scanner;
    private final LocalKey logKey;
    private final UnsafeBuffer credit;

    /** Null where the channel wants none. */
    private final FrameTimestamps timestamps;

    private LogPath path;
    private int window;

    /** Position up to which the peer has released the log. */
    private long consumed;

    /** Frames are there that the peer's credit does not cover. */
    private boolean isStalled;

    /**
     * @param stream to send.
     * @param logKey of its log.
     * @param credit that the peer writes: see {@link CreditLine}.
     * @param consumed position up to which the peer has released the log on an earlier connection.
     */
    Replication(OutboundStream stream, LocalKey logKey, UnsafeBuffer credit, long consumed) {
        this.stream = stream;
        this.log = stream.log();
        this.scanner = new LogScanner(log);
        this.logKey = logKey;
        this.credit = credit;
        this.consumed = consumed;
        timestamps = FrameTimestamps.of(stream.sendTimestamp());
    }

    /** Position up to which the peer has released the log. */
    long consumed() {
        return consumed;
    }

    /** From where to where the log is written; null before the peer has accepted. */
    LogPath path() {
        return path;
    }

    /** The stream is about to be offered: the peer has released it up to a position. */
    void awaitFrom(long position) {
        consumed = position;
        credit.putLongRelease(CreditLine.POSITION, position);
    }

    /**
     * The peer has accepted.
     *
     * @param port to send through.
     * @param imageLog address of the image's log in the peer.
     * @param imageKey of the image's log.
     * @param creditWindow bytes past what it has released that may be sent.
     */
    void begin(OutboundPort port, long imageLog, RemoteKey imageKey, int creditWindow) {
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
        isStalled = false;
    }

    /** Whether credit is awaited: for frames that are there, or for a publisher held back. */
    boolean isWaiting() {
        return isStalled || consumed != stream.senderPosition();
    }

    /**
     * Takes the credit that the peer has written.
     *
     * @param port that has failed if this is false.
     * @return whether it is credit that a peer can grant.
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
                            + " is granted position "
                            + granted
                            + " after "
                            + consumed
                            + " when "
                            + sent
                            + " was sent");
            return false;
        }
        consumed = granted;
        stream.onReleased(granted, window);
        return true;
    }

    /**
     * Sends one batch, if there is any.
     *
     * <p>A frame may begin while the receiver's credit lasts and end past it, so that a small
     * window cannot hold a long frame back for ever; but nothing goes past two terms from what is
     * consumed. Where the credit covers the rest of the term, no frame there ends past it.
     *
     * @param port to send through.
     * @return the amount of work done.
     * @throws InvalidFrameException if the log is damaged.
     */
    int send(OutboundPort port) {
        long position = stream.senderPosition();
        long limit = consumed + window;
        long end =
                position < limit
                        ? scanner.available(position, limit, port.batchLength())
                        : position;
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
        int length = (int) (end - position);
        if (timestamps != null) {
            stamp(position, length - scanner.padding());
        }
        if (!stage(port, position, length - scanner.padding(), length)) {
            return 0;
        }
        isStalled = false;
        stream.senderPosition(end);
        return 1;
    }

    /** Stages a batch; false if there is no room. */
    boolean stage(OutboundPort port, long position, int dataLength, int length) {
        return port.stageBatch(path, position, dataLength, length);
    }

    /** Whether all that was sent is committed; if it can be, it is now. */
    boolean settle(OutboundPort port) {
        return true;
    }

    /** The peer's log is gone: nothing more is written to it. */
    void forgetLog() {
        // Nothing is owed to it.
    }

    private void stamp(long position, int length) {
        int bitsToShift = LogLayout.positionBitsToShift(path.termLength());
        timestamps.stamp(
                log.term(LogLayout.partition(position, bitsToShift)),
                LogLayout.termOffset(position, path.termLength()),
                length);
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
