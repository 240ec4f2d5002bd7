// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.publication;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.RegistrationState;
import io.verbus.driver.channel.NamedPublications;
import io.verbus.driver.command.EventEncoder;
import io.verbus.driver.config.DriverConfig;
import io.verbus.driver.status.PublisherLimit;
import io.verbus.driver.status.ShownState;
import io.verbus.driver.subscription.Subscribable;
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

import java.util.concurrent.CompletableFuture;

/**
 * A log that clients append to. The stream ends when the last client releases the publication: open
 * claims become padding, and the final position is fixed. Used by the conductor's thread except
 * where noted.
 */
public abstract sealed class Publication extends RoundRobin.Taker
        implements Subscribable, NamedPublications.Named
        permits IpcPublication, NetworkPublication {
    /** Maximum number of consumed bytes that may wait to be cleaned. */
    private static final int MAX_UNCLEAN = 64 * 1024;

    /**
     * The fraction of a term that may wait to be cleaned, as a divisor of the term length. Bounded
     * because uncleaned bytes lower the publication limit.
     */
    private static final int UNCLEAN_PARTS = 8;

    /**
     * Maximum number of bytes to clean per duty cycle. Cleaning that many takes about 0.1 ms. A
     * stream that produces more bytes per duty cycle keeps the conductor from idling.
     */
    private static final int MAX_CLEANED = 1024 * 1024;

    /** How long a claim stays open before operators see it. */
    private static final long SHOWN_CLAIM_MS = 100;

    /** Grace period for a claim that was still open when its client closed the publication. */
    private static final long CLAIM_GRACE_NS = 1_000_000_000L;

    private final long registrationId;
    private final ChannelUri channel;
    private final boolean exclusive;
    private final LogBuffers log;
    private final PublisherLimit limit;
    private final AtomicCounter position;
    private final ShownState shown;
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

    /** Position and age of the open claim that operators see; age 0 if they see none. */
    private long shownClaim;

    private long shownClaimMs;

    /**
     * Final position. Written once by the conductor, before the end is announced; read by the
     * sender.
     */
    private volatile long finalPosition = LogLayout.NOT_ENDED;

    Publication(
            ChannelUri channel,
            LogBuffers log,
            PublisherLimit limit,
            AtomicCounter position,
            ShownState shown,
            DriverConfig config) {
        this.registrationId = log.spec().registrationId();
        this.channel = channel;
        this.exclusive = log.spec().type() == LogType.EXCLUSIVE_PUBLICATION;
        this.log = log;
        this.limit = limit;
        this.position = position;
        this.shown = shown;
        this.cleaner = new LogCleaner(log, log.spec().position());
        this.maxUnclean = Math.min(MAX_UNCLEAN, log.spec().termLength() / UNCLEAN_PARTS);
        this.unblocker = new LogUnblocker(log, exclusive);
        this.livenessTimeoutNs = config.clientLivenessTimeoutNs();
        this.unblockTimeoutNs = config.unblockTimeoutNs();
    }

    public final long registrationId() {
        return registrationId;
    }

    /** Returns the description that Aeron uses for a log that is read in place. */
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

    /** Returns the final position, or {@link LogLayout#NOT_ENDED}. Thread-safe. */
    public final long finalPosition() {
        return finalPosition;
    }

    final boolean isExclusive() {
        return exclusive;
    }

    /**
     * Returns the id of the channel status counter, or {@link EventEncoder#NO_COUNTER} if the
     * channel is always open.
     */
    int channelStatusId() {
        return EventEncoder.NO_COUNTER;
    }

    final PublisherLimit limit() {
        return limit;
    }

    /**
     * Returns the position up to which publishers may append. Thread-safe.
     *
     * @param consumed position that every consumer has passed.
     * @param window number of bytes that may be appended beyond the consumed position, at most two
     *     terms.
     */
    final long limitAt(long consumed, long window) {
        return cleaner.limit(consumed, window);
    }

    /**
     * Cleans the consumed part of the log once it is large enough. Cleaning after each message
     * would keep the conductor from idling, and would cost publishers and subscribers CPU time and
     * cache-line transfers.
     *
     * @param consumed position that every consumer and the sender have passed.
     * @return the number of bytes zeroed.
     */
    final int clean(long consumed) {
        return consumed - cleaner.cleaned() < maxUnclean ? 0 : cleaner.clean(consumed, MAX_CLEANED);
    }

    /** Returns how many consumed bytes may wait to be cleaned. */
    final int maxUnclean() {
        return maxUnclean;
    }

    /**
     * Returns a future that completes in one of the conductor's duty cycles once clients may use
     * the publication, or completes exceptionally with a {@link io.verbus.BusException} if it
     * cannot be used.
     */
    CompletableFuture<Void> begun() {
        return CompletableFuture.completedFuture(null);
    }

    /** Returns whether more clients can share the publication. */
    final boolean isOpen() {
        return !isEnding;
    }

    final void addReference() {
        references++;
    }

    /** Returns the reference count. */
    final int references() {
        return references;
    }

    /**
     * Releases one client's reference.
     *
     * @param nowNs monotonic time.
     * @param hasDied whether the client timed out rather than closed, in which case its open claims
     *     will never be committed.
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

    /**
     * Back-pressures all publishers because the driver is closing. Called at the timer interval
     * while the driver drains.
     */
    final void hold() {
        if (!isEnding) {
            limit.hold(LogTail.position(log));
        }
    }

    /**
     * Ends the stream at its tail because the driver is closing, although clients still hold the
     * publication.
     */
    final void endForAll(long nowNs) {
        if (!isEnding) {
            isEnding = true;
            endingSinceNs = nowNs;
        }
    }

    /** Revokes the stream: it ends at its tail, regardless of its readers' positions. */
    final void revoke() {
        isRevoked = true;
        isEnding = true;
        log.metadata().putByte(LogLayout.REVOKED, (byte) 1);
    }

    /** Returns whether the stream was revoked. Thread-safe once the final position is set. */
    public final boolean isRevoked() {
        return isRevoked;
    }

    /**
     * Services the publication in a duty cycle: updates its limit and cleans its log. Returns the
     * work count.
     */
    abstract int update();

    /** Returns whether publishers are back-pressured, or the publication is ending. */
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

    /** Returns the state shown to operators. */
    public final ShownState shown() {
        return shown;
    }

    /** Updates the monitoring counters of position and state. Called every 100 ms. */
    final void count() {
        position.setRelease(LogTail.position(log));
        shown.connected(log.metadata().getInt(LogLayout.CONNECTED) != 0);
    }

    /** Returns the furthest position that any reader of the log has reached or may reach. */
    abstract long furthestPosition();

    /**
     * Returns whether subscriptions that were prevented from joining may join now. Called at the
     * timer interval.
     */
    boolean isAcceptedAgain(long nowNs) {
        return false;
    }

    /** Returns whether every reader could read past a position if a frame were committed there. */
    abstract boolean isReadTo(long position);

    /** Discards unread messages if there is no reader. Called at the timer interval. */
    abstract void skipUnread();

    /** Called when the final position is fixed. */
    abstract void onEnded(long position);

    /** Called when the stream has ended regardless of its readers' positions. */
    abstract void onFailed(String reason);

    /** Returns whether the log has no more readers. */
    abstract boolean isReleased();

    /**
     * Returns whether nothing remains to be sent or read. A transport may still answer late
     * receivers.
     */
    abstract boolean isFinished();

    /** Returns whether neither clients nor readers use the publication. */
    final boolean isFree() {
        return references == 0 && isReleased();
    }

    /**
     * Unblocks claims that stay open too long, and completes the end of the stream. Called at the
     * timer interval.
     *
     * @return the number of unblocked claims.
     * @throws io.verbus.logbuffer.InvalidFrameException if the log holds an invalid frame.
     */
    final int watch(long nowNs) {
        if (!isEnding) {
            skipUnread();
            boolean isUnblocked = unblocker.check(furthestPosition(), nowNs, claimTimeoutNs(nowNs));
            showClaim(nowNs);
            return isUnblocked ? 1 : 0;
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
     * Shows operators an open claim that readers wait for. Its age is shown in steps of 100 ms, and
     * from 1 s on in steps of 1 s.
     */
    private void showClaim(long nowNs) {
        long at = unblocker.blockedPosition();
        long openMs = (nowNs - unblocker.blockedSinceNs()) / 1_000_000;
        if (at < 0 || openMs < SHOWN_CLAIM_MS || !isReadTo(at)) {
            shown.openClaim("");
            shownClaimMs = 0;
            return;
        }
        long step = openMs < 1_000 ? SHOWN_CLAIM_MS : 1_000;
        long shownMs = openMs - openMs % step;
        if (at != shownClaim || shownMs != shownClaimMs) {
            shownClaim = at;
            shownClaimMs = shownMs;
            shown.openClaim(openClaim(at, shownMs));
        }
    }

    private String openClaim(long at, long ms) {
        return RegistrationState.OPEN_CLAIM
                + at
                + " has not been committed for "
                + (ms < 1_000 ? ms + " ms" : ms / 1_000 + " s")
                + ": commit or abort it; "
                + (exclusive
                        ? "the driver does not revoke claims of an exclusive publication"
                        : "the driver revokes it after "
                                + unblockTimeoutNs / 1_000_000
                                + " ms (unblock-timeout)");
    }

    /** Describes a claim that the driver has revoked, for the error log. */
    final String revokedClaim() {
        return "WARN: publication "
                + registrationId
                + " of stream "
                + streamId()
                + " on channel '"
                + channel.written()
                + "': the driver has revoked a claim that was not committed within "
                + unblockTimeoutNs / 1_000_000
                + " ms (unblock-timeout), so its message is lost: commit or abort every claim, and"
                + " look for publishers that were stopped; further revoked claims of this"
                + " publication are only counted";
    }

    /** Returns whether a client that has held this publication has timed out. */
    final boolean isAbandoned() {
        return isAbandoned;
    }

    /**
     * Returns how long a claim may stay open: the unblock timeout. For a while after a client has
     * timed out, it is the client's liveness timeout, because a claim open for that long is
     * probably that client's. Unlimited for an exclusive log, because no other writer waits for its
     * claims.
     */
    private long claimTimeoutNs(long nowNs) {
        if (exclusive) {
            return Long.MAX_VALUE;
        }
        return isAbandoned && nowNs - abandonedNs < unblockTimeoutNs
                ? livenessTimeoutNs
                : unblockTimeoutNs;
    }

    /**
     * Ends the stream immediately, at its readers' positions, because the rest cannot be read.
     *
     * @param reason reason as text.
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

    /** Returns the position of the first uncommitted frame. */
    final long frontier(long position) {
        return position < LogTail.position(log)
                ? FrontierScanner.scan(log, position).position()
                : position;
    }

    /**
     * Like {@link #frontier(long)}, but stops at the first frame that is at least the given number
     * of bytes further.
     */
    final long frontier(long position, long length) {
        return position < LogTail.position(log)
                ? FrontierScanner.scan(log, position, length).position()
                : position;
    }

    /** Frees the counters. The log is freed later. */
    void close() {
        limit.close();
        position.close();
        shown.close();
    }
}
