// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.legs;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.Transport;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * A publication on its way to those of its destinations that one transport carries. Positions are
 * the leg's own while a receiver stands; before, a receiver would begin where the publication is.
 * {@link Legs} makes those of the publication of them. Sender's thread but where it says otherwise.
 */
public final class Leg implements CarriedStream {
    private final CarriedStream publication;
    private final Legs legs;
    private final Transport transport;
    private final ChannelUri channel;

    /** Conductor's: tells operators what carries the publication; null where its channel does. */
    private AtomicCounter carrier;

    /** Conductor's. */
    private boolean isDone;

    private boolean isConnected;
    private long position;
    private long released;
    private long limit;

    /**
     * @param publication that is sent.
     * @param legs of the publication.
     * @param transport that carries the leg.
     * @param channel of the publication, as the transport is to have it.
     */
    public Leg(CarriedStream publication, Legs legs, Transport transport, ChannelUri channel) {
        this.publication = publication;
        this.legs = legs;
        this.transport = transport;
        this.channel = channel;
    }

    // Conductor

    public Transport transport() {
        return transport;
    }

    /** Tells operators what carries the publication, by a counter that the leg closes. */
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

    /** Whether the transport has let go of it. */
    public boolean isDone() {
        return isDone;
    }

    public void close() {
        if (carrier != null) {
            carrier.close();
        }
    }

    // Sender: what the legs ask

    public boolean isConnected() {
        return isConnected;
    }

    /** Position behind which its receivers need nothing. */
    public long released() {
        return released;
    }

    /** Position up to which its receivers let the publication be appended to. */
    public long limit() {
        return limit;
    }

    // What the transport tells and asks

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
