// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.transports;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.OutboundTransport;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * A publication as one transport sends it, to the destinations that the transport reaches. While
 * the stream has a receiver, it has its own positions; without one, its next receiver would begin
 * at the publication's position. {@link TransportStreams} derives the publication's positions from
 * those of its streams. Used by the sender's thread except where noted.
 */
public final class TransportStream implements OutboundStream {
    /** The position of a stream without receivers: that of the publication. */
    private static final long NONE = -1;

    private final OutboundStream publication;
    private final TransportStreams all;
    private final OutboundTransport transport;
    private final ChannelUri channel;

    /** Shows the carrier to operators; null if the channel determines it. Used by the conductor. */
    private AtomicCounter carrier;

    /** Whether the transport has released the stream. Used by the conductor. */
    private boolean isReleased;

    private boolean isConnected;
    private long position = NONE;
    private long released;
    private long limit;
    private long readTo = Long.MAX_VALUE;

    /**
     * @param publication publication to send.
     * @param all streams of the publication.
     * @param transport transport that sends the stream.
     * @param channel publication's channel in the form that the transport uses.
     */
    public TransportStream(
            OutboundStream publication,
            TransportStreams all,
            OutboundTransport transport,
            ChannelUri channel) {
        this.publication = publication;
        this.all = all;
        this.transport = transport;
        this.channel = channel;
    }

    // Conductor

    /** Returns the publication. */
    public OutboundStream publication() {
        return publication;
    }

    /** Returns the transport that sends the stream. */
    public OutboundTransport transport() {
        return transport;
    }

    /** Sets the counter that shows the carrier to operators; the stream closes it. */
    public void carrier(AtomicCounter counter) {
        carrier = counter;
    }

    /** Returns whether a counter shows the carrier to operators. */
    public boolean isCarrierShown() {
        return carrier != null;
    }

    /** Called when the transport has released the stream. */
    public void onReleased() {
        isReleased = true;
    }

    /** Returns whether the transport has released the stream. */
    public boolean isReleased() {
        return isReleased;
    }

    /** Frees the counter. */
    public void close() {
        if (carrier != null) {
            carrier.close();
        }
    }

    // Sender: called for all streams

    /** Returns whether the stream has a receiver. */
    public boolean isConnected() {
        return isConnected;
    }

    /** Returns the position before which the stream's receivers need no data. */
    public long released() {
        return released;
    }

    /** Returns the position from which the transport may still read the log. */
    long readTo() {
        return readTo;
    }

    /** Returns the publication limit that the stream's receivers allow. */
    public long limit() {
        return limit;
    }

    // Called by the transport

    @Override
    public long registrationId() {
        return publication.registrationId();
    }

    @Override
    public ChannelUri channel() {
        return channel;
    }

    @Override
    public LogBuffers log() {
        return publication.log();
    }

    @Override
    public long senderPosition() {
        return position == NONE ? publication.senderPosition() : position;
    }

    @Override
    public long releasedPosition() {
        return publication.releasedPosition();
    }

    @Override
    public void senderPosition(long newPosition) {
        position = newPosition;
        if (newPosition > publication.senderPosition()) {
            publication.senderPosition(newPosition);
        }
    }

    @Override
    public void onReleased(long newReleased, long window) {
        released = newReleased;
        limit = newReleased + window;
        if (isConnected) {
            all.update();
        }
    }

    @Override
    public void onLogRead(long newReadTo) {
        if (newReadTo != readTo) {
            readTo = newReadTo;
            all.updateReads();
        }
    }

    @Override
    public void onConnected(boolean connected) {
        if (!connected) {
            position = NONE;
        } else if (position == NONE) {
            position = publication.senderPosition();
        }
        isConnected = connected;
        all.update();
    }

    @Override
    public boolean goesOnWithoutReceivers() {
        return channel.spiesConnect() || all.count() > 1;
    }

    @Override
    public void onNak() {
        publication.onNak();
    }

    @Override
    public void onCreditStall() {
        publication.onCreditStall();
    }

    @Override
    public long finalPosition() {
        return publication.finalPosition();
    }

    @Override
    public boolean isRevoked() {
        return publication.isRevoked();
    }
}
