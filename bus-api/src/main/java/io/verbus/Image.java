// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelUri;
import io.verbus.control.CommandEncoder;
import io.verbus.logbuffer.BlockHandler;
import io.verbus.logbuffer.ControlledFragmentHandler;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.InvalidFrameException;
import io.verbus.logbuffer.LogBlocks;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogPeek;
import io.verbus.logbuffer.LogReader;
import io.verbus.logbuffer.RawBlockHandler;
import io.verbus.logbuffer.SubscriberLease;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.status.Position;

/**
 * One publisher's stream as a subscription receives it. Polling is for one thread at a time, the
 * one that polls the subscription; the rest is for any thread.
 *
 * <p>What a fragment handler throws goes to the error handler of the bus, and the fragment counts
 * as consumed; an {@link Error} is thrown on to the caller of poll. A frame that no publisher
 * writes closes the image, for all its subscribers, and is told to the error handler.
 *
 * <p>An image may be closed while its handler runs: by another thread, or because the driver has
 * ended it. What the handler was called with stays there until the handler returns, and nothing
 * more is delivered.
 *
 * <p>An image of a subscription with {@code tether=false} is closed by the driver where it is too
 * far behind; a new image of the same id comes when the subscription has joined anew. What lies
 * between is lost. A handler that takes longer than the {@code untethered-linger-timeout} may see
 * its fragment overwritten; no later one is delivered.
 *
 * <p>Over IPC, and for a spy, a poll waits for a moment where much is received in little time (more
 * than 64 KiB in 200 microseconds), until the publisher is some KiB ahead again: two who are close
 * behind each other are both slow. It never holds back everything that is there, and waits no more
 * once the publisher pauses.
 */
public final class Image extends ReceivedStream {
    /** Takes an image that was closed because of an invalid frame. Any thread. */
    interface FaultHandler {
        void onInvalidFrame(Image image, InvalidFrameException fault);
    }

    private final ErrorHandler errorHandler;
    private final FaultHandler faultHandler;
    private final LogReader reader;
    private final LogPeek peek;
    private final LogBlocks blocks;

    /**
     * @param position the subscriber's counter, which holds the join position.
     * @param lease tells whether the driver has let the subscriber go; null if it never does.
     */
    Image(
            long imageId,
            Subscription subscription,
            LogBuffers log,
            Position position,
            SubscriberLease lease,
            String source,
            ErrorHandler errorHandler,
            FaultHandler faultHandler) {
        super(imageId, subscription, log, position, lease, source);
        this.errorHandler = errorHandler;
        this.faultHandler = faultHandler;
        // Over IPC subscribers read the publication's own log, as spies do: claims are seen there
        // while they are filled.
        ChannelUri channel = subscription.channel();
        reader = new LogReader(log, position, !channel.isIpc() && !channel.isSpy(), lease);
        peek = new LogPeek(log, reader);
        blocks = new LogBlocks(log, reader);
    }

    /**
     * Delivers fragments, of the current term at most.
     *
     * @param handler to call for each.
     * @param fragmentLimit how many to deliver at most.
     * @return how many were delivered; 0 once the image is closed.
     * @throws IllegalArgumentException if there is no handler or the limit is negative.
     */
    public int poll(FragmentHandler handler, int fragmentLimit) {
        if (handler == null || fragmentLimit < 0) {
            throw refused(handler, fragmentLimit);
        }
        try {
            return reader.poll(handler, fragmentLimit);
        } catch (Exception e) {
            return failed(e);
        }
    }

    /**
     * Delivers fragments, of the current term at most, to a handler that says how to go on.
     *
     * @param handler to call for each.
     * @param fragmentLimit how many to deliver at most.
     * @return how many were delivered, an aborted one not counted; 0 once the image is closed.
     * @throws IllegalArgumentException if there is no handler or the limit is negative.
     */
    public int controlledPoll(ControlledFragmentHandler handler, int fragmentLimit) {
        if (handler == null || fragmentLimit < 0) {
            throw refused(handler, fragmentLimit);
        }
        try {
            return reader.controlledPoll(handler, fragmentLimit);
        } catch (Exception e) {
            return failed(e);
        }
    }

    /**
     * Delivers fragments that begin before a position, of the current term at most.
     *
     * @param handler to call for each.
     * @param limitPosition at which no fragment is delivered any more; one that begins before it
     *     may end behind it.
     * @param fragmentLimit how many to deliver at most.
     * @return how many were delivered; 0 once the image is closed.
     * @throws IllegalArgumentException if there is no handler or the fragment limit is negative.
     */
    public int boundedPoll(FragmentHandler handler, long limitPosition, int fragmentLimit) {
        if (handler == null || fragmentLimit < 0) {
            throw refused(handler, fragmentLimit);
        }
        try {
            return reader.boundedPoll(handler, limitPosition, fragmentLimit);
        } catch (Exception e) {
            return failed(e);
        }
    }

    /**
     * Delivers fragments that begin before a position, of the current term at most, to a handler
     * that says how to go on.
     *
     * @param handler to call for each.
     * @param limitPosition as of {@link #boundedPoll}.
     * @param fragmentLimit how many to deliver at most.
     * @return how many were delivered, an aborted one not counted; 0 once the image is closed.
     * @throws IllegalArgumentException if there is no handler or the fragment limit is negative.
     */
    public int boundedControlledPoll(
            ControlledFragmentHandler handler, long limitPosition, int fragmentLimit) {
        if (handler == null || fragmentLimit < 0) {
            throw refused(handler, fragmentLimit);
        }
        try {
            return reader.boundedControlledPoll(handler, limitPosition, fragmentLimit);
        } catch (Exception e) {
            return failed(e);
        }
    }

    /**
     * Delivers fragments without consuming them: {@link #position()} stays. What the handler throws
     * ends the peek in front of the fragment.
     *
     * @param initialPosition at which to begin: the image's position, or a result of a peek, not
     *     behind the end of the current term.
     * @param handler to call for each fragment, of one term at most; {@code COMMIT} means no more
     *     than {@code CONTINUE}.
     * @param limitPosition at which no fragment is delivered any more.
     * @return the position behind the last whole message that was delivered, from which the next
     *     peek or {@link #position(long)} may go on; the initial one once the image is closed.
     * @throws IllegalArgumentException if there is no handler, or no fragment begins at the initial
     *     position.
     */
    public long controlledPeek(
            long initialPosition, ControlledFragmentHandler handler, long limitPosition) {
        if (handler == null) {
            throw refused(null, 0);
        }
        if (isClosed() || !canGoOnAt(initialPosition)) {
            return initialPosition;
        }
        try {
            peek.deliver(handler, limitPosition);
        } catch (Exception e) {
            failed(e, peek.position());
        }
        return peek.result();
    }

    /**
     * Consumes the stream up to a position without delivering it. Does nothing once the image is
     * closed.
     *
     * @param newPosition at which a fragment begins or the next one will: from {@link #position()}
     *     to the end of the current term.
     * @throws IllegalArgumentException if it is no such position.
     */
    public void position(long newPosition) {
        if (!isClosed() && canGoOnAt(newPosition)) {
            reader.moveTo(newPosition);
        }
    }

    /** False if an invalid frame stands in front of the position: the image is closed then. */
    private boolean canGoOnAt(long where) {
        try {
            peek.begin(where);
            return true;
        } catch (InvalidFrameException e) {
            failed(e, peek.position());
            return false;
        }
    }

    /**
     * Hands over whole frames as they lie in the log, of the current term at most. Padding is
     * handed over by itself: of its frame only the header means anything. What the handler throws
     * goes to the error handler, and the block counts as consumed.
     *
     * @param handler to call once, unless there is nothing.
     * @param blockLengthLimit bytes of the longest block of data. A frame that is longer is never
     *     handed over.
     * @return bytes that were handed over, a multiple of 32; 0 once the image is closed.
     * @throws IllegalArgumentException if there is no handler or the limit is negative.
     */
    public int blockPoll(BlockHandler handler, int blockLengthLimit) {
        if (handler == null || blockLengthLimit < 0) {
            throw refused(handler, blockLengthLimit);
        }
        long before = reader.position();
        try {
            return blocks.poll(handler, blockLengthLimit);
        } catch (Exception e) {
            failed(e);
            return (int) (reader.position() - before);
        }
    }

    /**
     * As {@link #blockPoll}, with the file that the block lies in, from which it can be sent.
     *
     * @throws IllegalArgumentException if there is no handler or the limit is negative.
     */
    public int rawPoll(RawBlockHandler handler, int blockLengthLimit) {
        if (handler == null || blockLengthLimit < 0) {
            throw refused(handler, blockLengthLimit);
        }
        long before = reader.position();
        try {
            return blocks.rawPoll(handler, blockLengthLimit);
        } catch (Exception e) {
            failed(e);
            return (int) (reader.position() - before);
        }
    }

    /** Why nothing can be delivered to a handler. */
    static IllegalArgumentException refused(Object handler, int limit) {
        return new IllegalArgumentException(
                handler == null
                        ? "the fragment handler is null: poll with one that takes the fragments"
                        : "the fragment limit "
                                + limit
                                + " is negative: poll for a number of fragments, such as 10");
    }

    /** Returns 1 for the fragment whose handler has thrown, 0 for an invalid frame. */
    private int failed(Exception e) {
        return failed(e, reader.position());
    }

    private int failed(Exception e, long where) {
        if (e instanceof InvalidFrameException fault && fault.position() == where) {
            if (markClosed()) {
                faultHandler.onInvalidFrame(this, fault);
            }
            return 0;
        }
        errorHandler.onError(e);
        return 1;
    }

    /**
     * Has the driver end the image, for all its subscriptions there, and tell the publisher's
     * client why. The stream may come back after the driver's image liveness timeout. Any thread
     * but one of the bus's handlers; waits for the driver.
     *
     * @param reason for people, ASCII, at most 1,023 bytes; over RDMA 160 of them arrive.
     * @throws IllegalArgumentException if the reason is longer.
     * @throws RegistrationException if the driver refuses.
     * @throws BusException if the image is closed, or is a spy's, whose publisher is not concerned.
     */
    public void reject(String reason) {
        if (reason.length() > CommandEncoder.MAX_REASON) {
            throw new IllegalArgumentException(
                    "the reason has "
                            + reason.length()
                            + " characters: choose one of at most "
                            + CommandEncoder.MAX_REASON);
        }
        if (isClosed() || subscription().channel().isSpy()) {
            throw new BusException(
                    this
                            + (isClosed() ? " is closed" : " is a spy's")
                            + " and cannot be rejected: reject one of a subscription that is open");
        }
        subscription().owner.reject(this, reason);
    }

    @Override
    public boolean isClosed() {
        return reader.isClosed();
    }

    /** Keeps all later calls out of the log; false if that was done before. */
    synchronized boolean markClosed() {
        if (isClosed()) {
            return false;
        }
        keepState();
        reader.close();
        peek.close();
        return true;
    }

    /** Whether a handler may be reading the log, though the image was closed a while ago. */
    boolean isDelivering() {
        return reader.isDelivering();
    }
}
