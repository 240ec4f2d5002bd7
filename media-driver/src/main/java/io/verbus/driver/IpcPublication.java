// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;

/**
 * A publication whose log the subscribers of the same host read in place. Its limit follows the
 * slowest of them. Where nobody subscribes the limit stands still, so that publishers find that
 * they are not connected, and what is in the log counts as consumed.
 */
final class IpcPublication extends Publication {
    /**
     * The limit is raised when it moves by this fraction of the window: a line less to transfer.
     */
    private static final int GAIN_SHIFT = 3;

    private final Subscribers subscribers;
    private final long window;
    private long consumed;
    private long nextLimit;

    IpcPublication(
            ChannelUri channel,
            boolean exclusive,
            LogBuffers log,
            PublisherLimit limit,
            long window,
            DriverConfig config,
            DriverCounters counters,
            ClientEvents events) {
        super(channel, exclusive, log, limit, config);
        this.window = window;
        this.consumed = log.spec().position();
        this.nextLimit = consumed;
        this.subscribers = new Subscribers(this, consumed, counters, events);
    }

    @Override
    public Subscribers subscribers() {
        return subscribers;
    }

    @Override
    public boolean serves(Subscription subscription) {
        return isOpen()
                && subscription.channel().isIpc()
                && subscription.matches(null, streamId(), sessionId());
    }

    /**
     * Joins at the frontier: behind it there may be claims that are not committed yet, and the log
     * must not be cleaned before they are.
     */
    @Override
    public void attach(Subscription subscription) {
        long position = frontier(furthestPosition());
        if (subscribers.isEmpty()) {
            consumed = position;
        }
        subscribers.add(subscription, position);
        connected(true);
    }

    @Override
    int update() {
        if (finalPosition() != LogLayout.NOT_ENDED) {
            return subscribers.isEmpty() ? 0 : subscribers.drain(finalPosition(), "end of stream");
        }
        if (subscribers.isEmpty()) {
            if (isConnected()) {
                consumed = furthestPosition();
                connected(false);
            }
            return clean(consumed);
        }
        consumed = Math.max(consumed, subscribers.consumed());
        int work = clean(consumed);
        long newLimit = limitAt(consumed, window);
        if (newLimit >= nextLimit) {
            limit().raise(newLimit);
            nextLimit = newLimit + (window >> GAIN_SHIFT);
            work++;
        }
        return work;
    }

    /** Where nobody reads, goes on to the frontier: the next subscriber starts with news. */
    @Override
    void skipUnread() {
        if (subscribers.isEmpty()) {
            consumed = frontier(furthestPosition());
        }
    }

    @Override
    long furthestPosition() {
        return Math.max(consumed, subscribers.furthest());
    }

    @Override
    void onEnded(long position) {
        connected(false);
    }

    @Override
    void onFailed(String reason) {
        subscribers.endAll(reason);
    }

    @Override
    boolean isReleased() {
        return finalPosition() != LogLayout.NOT_ENDED && subscribers.isEmpty();
    }

    private boolean isConnected() {
        return log().metadata().getInt(LogLayout.CONNECTED) != 0;
    }

    private void connected(boolean connected) {
        log().metadata().putIntRelease(LogLayout.CONNECTED, connected ? 1 : 0);
    }
}
