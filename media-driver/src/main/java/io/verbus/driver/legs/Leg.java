// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.legs;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.OutboundTransport;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * One transport's part of a publication, for the destinations that the transport carries. While the
 * leg has a receiver, it has its own positions; without one, its next receiver would begin at the
 * publication's position. {@link Legs} derives the publication's positions from its legs. Used by
 * the sender's thread except where noted.
 */
public final class Leg implements CarriedStream {
    private final CarriedStream publication;
    private final Legs legs;
    private final OutboundTransport transport;
    private final ChannelUri channel;

    /** Shows the carrier to operators; null if the channel determines it. Used by the conductor. */
    private AtomicCounter carrier;

    /** Whether the transport has released the leg. Used by the conductor. */
    private boolean isDone;

    private boolean isConnected;
    private long position;
    private long released;
    private long limit;

    /**
     * @param publication publication to send.
     * @param legs legs of the publication.
     * @param transport transport that carries the leg.
     * @param channel publication's channel in the form that the transport uses.
     */
    public Leg(
            CarriedStream publication, Legs legs, OutboundTransport transport, ChannelUri channel) {
        this.publication = publication;
        this.legs = legs;
        this.transport = transport;
        this.channel = channel;
    }

    // Conductor

    public OutboundTransport transport() {
        return transport;
    }

    /** Sets the counter that shows the carrier to operators; the leg closes it. */
    public void carrier(AtomicCounter counter) {
        carrier = counter;
    }

    public boolean isTold() {
        return carrier != null;
    }

    @Override
    public void onTransportDone() {
        isDone = true;
    }

    /** Returns whether the transport has released the leg. */
    public boolean isDone() {
        return isDone;
    }

    public void close() {
        if (carrier != null) {
            carrier.close();
        }
    }

    // Sender: called by the legs

    public boolean isConnected() {
        return isConnected;
    }

    /** Returns the position before which the leg's receivers need no data. */
    public long released() {
        return released;
    }

    /** Returns the publication limit that the leg's receivers allow. */
    public long limit() {
        return limit;
    }

    // Called by the transport

    @Override
    public OutboundStream publication() {
        return publication.publication();
    }

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
        return isConnected ? position : publication.senderPosition();
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
            legs.update();
        }
    }

    @Override
    public void onConnected(boolean connected) {
        if (connected && !isConnected) {
            position = publication.senderPosition();
        }
        isConnected = connected;
        legs.update();
    }

    @Override
    public boolean goesOnWithoutReceivers() {
        return channel.spiesConnect() || legs.count() > 1;
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
