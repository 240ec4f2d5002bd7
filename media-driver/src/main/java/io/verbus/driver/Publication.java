// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.channel.ChannelUri;
import io.verbus.driver.channel.NamedPublications;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.status.PublisherLimit;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogTail;
import io.verbus.logbuffer.LogType;
import io.verbus.logbuffer.LogUnblocker;
import io.verbus.transport.RoundRobin;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * A log that clients append to. It ends when the last client has let go of it: its open claims are
 * made padding, and its final position is fixed. Conductor's thread but where it says otherwise.
 */
abstract sealed class Publication extends RoundRobin.Taker
        implements Subscribable, NamedPublications.Named
        permits IpcPublication, NetworkPublication {
    /** Bytes of a log that may wait to be cleaned. */
    private static final int MAX_UNCLEAN = 64 * 1024;

    /** Parts of a term that may wait: what does counts against the limit. */
    private static final int UNCLEAN_PARTS = 8;

    /**
     * Bytes of a log that are cleaned in one cycle, at most, which takes about 0.1 ms: a stream
     * that is faster than this a cycle keeps the conductor from idling.
     */
    private static final int MAX_CLEANED = 1024 * 1024;

    /** A claim that a client left open when it closed its publication is given so long. */
    private static final long CLAIM_GRACE_NS = 1_000_000_000L;

    private final long registrationId;
    private final ChannelUri channel;
    private final boolean exclusive;
    private final LogBuffers log;
    private final PublisherLimit limit;
    private final AtomicCounter position;
    private final LogCleaner cleaner;
    private final int maxUnclean;
    private final LogUnblocker unblocker;
    private final long livenessTimeoutNs;
    private final long unblockTimeoutNs;
    private int references;
    private boolean isEnding;
    private boolean isAbandoned;
    private boolean isRevoked;
    private long abandonedNs;
    private long endingSinceNs;

    /** Written by the conductor once, before the end is told; read by the sender. */
    private volatile long finalPosition = LogLayout.NOT_ENDED;

    Publication(
            ChannelUri channel,
            LogBuffers log,
            PublisherLimit limit,
            AtomicCounter position,
            DriverConfig config) {
        this.registrationId = log.spec().registrationId();
        this.channel = channel;
        this.exclusive = log.spec().type() == LogType.EXCLUSIVE_PUBLICATION;
        this.log = log;
        this.limit = limit;
        this.position = position;
        this.cleaner = new LogCleaner(log, log.spec().position());
        this.maxUnclean = Math.min(MAX_UNCLEAN, log.spec().termLength() / UNCLEAN_PARTS);
        this.unblocker = new LogUnblocker(log, exclusive);
        this.livenessTimeoutNs = config.clientLivenessTimeoutNs();
        this.unblockTimeoutNs = config.unblockTimeoutNs();
    }

    public final long registrationId() {
        return registrationId;
    }

    @Override
    public final long id() {
        return registrationId;
    }

    /** What Aeron calls it: the log is read in place. */
    @Override
    public final String description() {
        return "aeron:ipc";
    }

    @Override
    public final ChannelUri named() {
        return channel;
    }

    @Override
    public final LogSpec spec() {
        return log.spec();
    }

    @Override
    public final LogBuffers log() {
        return log;
    }

    /** Position at which the stream ends, or {@link LogLayout#NOT_ENDED}. Any thread. */
    public final long finalPosition() {
        return finalPosition;
    }

    @Override
    public final int sessionId() {
        return log.spec().sessionId();
    }

    @Override
    public final int streamId() {
        return log.spec().streamId();
    }

    final boolean isExclusive() {
        return exclusive;
    }

    /** Counter of the channel's state; {@link EventEncoder#NO_COUNTER} if it is always open. */
    int channelStatusId() {
        return EventEncoder.NO_COUNTER;
    }

    final PublisherLimit limit() {
        return limit;
    }

    /**
     * Position up to which the log may be appended to. Any thread.
     *
     * @param consumed position that every consumer has passed.
     * @param window in bytes past it, two terms at most.
     */
    final long limitAt(long consumed, long window) {
        return cleaner.limit(consumed, window);
    }

    /**
     * Cleans what was consumed, once there is enough of it: a conductor with work for each message
     * would never idle, and take processor and cache lines from the threads that exchange them.
     *
     * @param consumed position that every consumer, and the sender, has passed.
     * @return how many bytes were zeroed.
     */
    final int clean(long consumed) {
        return consumed - cleaner.cleaned() < maxUnclean ? 0 : cleaner.clean(consumed, MAX_CLEANED);
    }

    /** Bytes of what is consumed that may wait to be cleaned. */
    final int maxUnclean() {
        return maxUnclean;
    }

    /** Whether clients can still be added to it. */
    final boolean isOpen() {
        return !isEnding;
    }

    final void addReference() {
        references++;
    }

    /** How often clients hold the publication. */
    final int references() {
        return references;
    }

    /**
     * A client lets go of the publication.
     *
     * @param nowNs monotonic time.
     * @param hasDied whether the client did not close it itself: nothing it claimed is committed.
     */
    final void removeReference(long nowNs, boolean hasDied) {
        if (hasDied) {
            isAbandoned = true;
            abandonedNs = nowNs;
        }
        if (--references == 0) {
            isEnding = true;
            endingSinceNs = nowNs;
        }
    }

    /** The driver closes: whoever offers is held back. To be repeated for a while. */
    final void hold() {
        if (!isEnding) {
            limit.hold(LogTail.position(log));
        }
    }

    /** The driver closes: the stream ends at its tail, though clients still have it. */
    final void endForAll(long nowNs) {
        if (!isEnding) {
            isEnding = true;
            endingSinceNs = nowNs;
        }
    }

    /** Takes the stream back: it ends at its tail, wherever its readers are. */
    final void revoke() {
        isRevoked = true;
        isEnding = true;
        log.metadata().putByte(LogLayout.REVOKED, (byte) 1);
    }

    /** Whether the stream was taken back. Any thread, once the final position is set. */
    public final boolean isRevoked() {
        return isRevoked;
    }

    /** At each of its turns: limits and cleaning. Returns the amount of work done. */
    abstract int update();

    /** While its publishers are held back, and while it ends. */
    @Override
    protected final boolean isWaiting() {
        return isEnding
                || log.metadata().getInt(LogLayout.CONNECTED) != 0
                        && LogTail.position(log) >= limit.get();
    }

    @Override
    public final long tail() {
        return LogTail.position(log);
    }

    /** At a slow pace: tells operators how far it was appended to. */
    final void count() {
        position.setRelease(LogTail.position(log));
    }

    /** Position that every reader of the log has passed, or could. */
    abstract long furthestPosition();

    /** Whether subscriptions may join that were kept off until now. At a slow pace. */
    boolean isAcceptedAgain(long nowNs) {
        return false;
    }

    /** Without a reader, gives up what is in the log. At a slow pace. */
    abstract void skipUnread();

    /** The final position is fixed. */
    abstract void onEnded(long position);

    /** The stream ended wherever its readers are. */
    abstract void onFailed(String reason);

    /** Whether the log has no reader any more. */
    abstract boolean isReleased();

    /** Whether nothing is awaited of it: a transport may still answer late receivers. */
    abstract boolean isFinished();

    /** Whether neither clients nor readers need it any more. */
    final boolean isFree() {
        return references == 0 && isReleased();
    }

    /**
     * At a slow pace: claims that stay open, and the end.
     *
     * @return how many claims were unblocked.
     * @throws io.verbus.logbuffer.InvalidFrameException if the log holds what no appender writes.
     */
    final int watch(long nowNs) {
        if (!isEnding) {
            skipUnread();
            // No other thread waits for what the one writer of an exclusive log is about.
            if (exclusive) {
                return 0;
            }
            return unblocker.check(furthestPosition(), nowNs, claimTimeoutNs(nowNs)) ? 1 : 0;
        }
        if (finalPosition != LogLayout.NOT_ENDED) {
            return 0;
        }
        if (isRevoked) {
            end(LogTail.position(log));
            onFailed("the publication was revoked");
            return 0;
        }
        boolean hasOpenClaim = frontier(furthestPosition()) < LogTail.position(log);
        if (hasOpenClaim && !isAbandoned && nowNs - endingSinceNs < CLAIM_GRACE_NS) {
            return 0;
        }
        end(unblocker.seal(furthestPosition()));
        return hasOpenClaim ? 1 : 0;
    }

    /**
     * A claim may stay open for the unblock timeout. Where a client has just been given up, one
     * that has been open for as long as that client was silent is taken for its own.
     */
    private long claimTimeoutNs(long nowNs) {
        return isAbandoned && nowNs - abandonedNs < unblockTimeoutNs
                ? livenessTimeoutNs
                : unblockTimeoutNs;
    }

    /**
     * Ends the stream at once where its readers are, because what follows cannot be read.
     *
     * @param reason in words.
     */
    final void fail(String reason) {
        isEnding = true;
        if (finalPosition == LogLayout.NOT_ENDED) {
            end(furthestPosition());
        }
        onFailed(reason);
    }

    private void end(long position) {
        finalPosition = position;
        log.metadata().putLongRelease(LogLayout.END_OF_STREAM, position);
        onEnded(position);
    }

    /** Position of the first frame that is not committed. */
    final long frontier(long position) {
        return position < LogTail.position(log)
                ? FrontierScanner.scan(log, position).position()
                : position;
    }

    /** The same, or a frame that is so many bytes further, or the first after it. */
    final long frontier(long position, long length) {
        return position < LogTail.position(log)
                ? FrontierScanner.scan(log, position, length).position()
                : position;
    }

    /** Frees the counters; the log is freed apart, later. */
    void close() {
        limit.close();
        position.close();
    }
}
