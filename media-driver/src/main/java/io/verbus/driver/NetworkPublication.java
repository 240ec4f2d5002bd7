// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import io.verbus.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.Transport;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * A publication that a transport sends. The sender's thread tells what was sent and released; the
 * conductor cleans behind it and ends it. Both raise the limit: the sender when credit comes, the
 * conductor when it was cleaning that held the limit back.
 */
final class NetworkPublication extends Publication implements OutboundStream {
    private final Transport transport;
    private final AtomicCounter senderPosition;
    private final AtomicCounter creditStalls;
    private final long maxWindow;
    private boolean isTransportDone;
    private long limitedAt;

    /** Written by the sender before {@link #released}; read by the conductor after it. */
    private int window;

    /** Written by the sender; read by the conductor. */
    private volatile long released;

    NetworkPublication(
            ChannelUri channel,
            boolean exclusive,
            LogBuffers log,
            PublisherLimit limit,
            AtomicCounter senderPosition,
            AtomicCounter creditStalls,
            Transport transport,
            DriverConfig config) {
        super(channel, exclusive, log, limit, config);
        this.transport = transport;
        this.senderPosition = senderPosition;
        this.creditStalls = creditStalls;
        this.maxWindow = 2L * log.spec().termLength();
        this.released = log.spec().position();
        this.limitedAt = released;
        senderPosition.setRelease(released);
    }

    Transport transport() {
        return transport;
    }

    // Sender

    @Override
    public long senderPosition() {
        return senderPosition.getPlain();
    }

    @Override
    public void senderPosition(long position) {
        senderPosition.setRelease(position);
    }

    @Override
    public void onReleased(long position, int newWindow) {
        if (position != released || newWindow != window) {
            window = (int) Math.min(newWindow, maxWindow);
            released = position;
            limit().raise(cleaner().limit(position, window));
        }
    }

    @Override
    public void onConnected(boolean connected) {
        log().metadata().putIntRelease(LogLayout.CONNECTED, connected ? 1 : 0);
    }

    @Override
    public void onCreditStall() {
        creditStalls.incrementRelease();
    }

    // Conductor

    @Override
    int update(long nowNs) {
        long position = released;
        int work = clean(position);
        if (work > 0 || position != limitedAt) {
            // The sender may have computed its limit from what was cleaned before.
            limit().raise(cleaner().limit(position, window));
            limitedAt = position;
        }
        return work;
    }

    @Override
    long furthestPosition() {
        return senderPosition.getAcquire();
    }

    @Override
    void skipUnread() {
        // The transport's to decide.
    }

    @Override
    void onFailed(String reason) {
        // The transport is told of the end already.
    }

    @Override
    void onEnded(long position) {
        transport.closePublication(this);
    }

    /** The transport has let go of it. */
    void onTransportDone() {
        isTransportDone = true;
    }

    @Override
    boolean isReleased() {
        return isTransportDone;
    }

    @Override
    void close() {
        super.close();
        senderPosition.close();
        creditStalls.close();
    }
}
