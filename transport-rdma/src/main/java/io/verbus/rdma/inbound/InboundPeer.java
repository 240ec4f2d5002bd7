// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.ConnectionCounters;
import io.verbus.rdma.common.HostAdmission;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.fabric.Connection;

import org.agrona.collections.LongHashSet;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A connection from a publishing driver, and its streams. Used by the conductor's thread. */
final class InboundPeer {
    enum State {
        ACCEPTED,
        UP,

        /**
         * The endpoint no longer has a subscription: the connection ends when the peer has every
         * answer.
         */
        LEAVING,

        /** The receiver was asked to release the connection. */
        RELEASING,

        /** The connection is being closed. */
        ENDING
    }

    final Connection connection;
    final InboundListener listener;
    final ConnectionCounters counters;
    final long driverId;
    final String source;

    /** Source without its port, which differs per connection. */
    final String host;

    /**
     * Offered streams that wait for a subscription, or for the end of an older connection or of a
     * move.
     */
    final List<Setup> deferred = new ArrayList<>();

    /** Registration ids of the streams whose last offer the peer knows to be deferred. */
    private final LongHashSet notified = new LongHashSet();

    /** Streams whose images are being created. */
    final List<Setup> pending = new ArrayList<>();

    final List<IncomingImage> images = new ArrayList<>();

    /** Protocol version common to the two drivers. */
    final int version;

    /** Whether each side commits only what the other side has confirmed. */
    final boolean confirms;

    final InboundMemory memory;

    private State state = State.ACCEPTED;

    /** Null before the connection is established. */
    private InboundLink link;

    /** Proof that the peer must send before everything else; null if no proof is outstanding. */
    private Proof awaited;

    /** Whether the peer has violated the protocol, in which case its images are not held. */
    private boolean isHostile;

    /**
     * Whether a newer connection of the same driver offers a stream that this connection carries.
     */
    private boolean isSuperseded;

    /** Time by which the peer must have offered a stream. */
    final long deadlineNs;

    /** Number of images that the peer was asked to stop writing, without an answer so far. */
    private int closing;

    InboundPeer(
            Connection connection,
            InboundListener listener,
            InboundMemory memory,
            ConnectionCounters counters,
            int version,
            boolean confirms,
            long driverId,
            String source,
            Proof awaited,
            long deadlineNs) {
        this.connection = connection;
        this.listener = listener;
        this.memory = memory;
        this.version = version;
        this.confirms = confirms;
        this.counters = counters;
        this.driverId = driverId;
        this.source = source;
        this.awaited = awaited;
        this.host = HostAdmission.hostOf(connection.remoteAddress());
        this.deadlineNs = deadlineNs;
    }

    State state() {
        return state;
    }

    /** Marks the connection established. */
    void up(InboundLink made) {
        link = made;
        state = State.UP;
    }

    /** Returns the receiver's end; null before the connection is established. */
    InboundLink link() {
        return link;
    }

    /**
     * Returns whether the receiver is releasing or has released the connection, and sends no more
     * answers.
     */
    boolean isGoing() {
        return state == State.RELEASING || state == State.ENDING;
    }

    /** Marks the connection closing: the peer may still write for a moment. */
    void end() {
        state = State.ENDING;
    }

    /** Ends the connection once the peer has every answer. */
    void leave() {
        state = State.LEAVING;
    }

    /** Marks that the receiver was asked to release the connection. */
    void release() {
        state = State.RELEASING;
    }

    /** Returns whether the peer must send a proof of its key before it sends anything else. */
    boolean owesProof() {
        return awaited != null;
    }

    /** Checks a proof; returns whether it is correct and was expected. */
    boolean prove(Proof proof) {
        boolean isRight = awaited != null && awaited.isSame(proof);
        awaited = isRight ? null : awaited;
        return isRight;
    }

    boolean isHostile() {
        return isHostile;
    }

    /** Marks that the peer has violated the protocol. */
    void onViolation() {
        isHostile = true;
    }

    boolean isSuperseded() {
        return isSuperseded;
    }

    /**
     * Marks that a newer connection of the same driver offers a stream that this connection
     * carries.
     */
    void supersede() {
        isSuperseded = true;
    }

    /** Counts an image that the peer is asked to stop writing. */
    void awaitClose() {
        closing++;
    }

    /** Counts the peer's answer for an image that it was asked to stop writing. */
    void onClosed() {
        closing--;
    }

    /** Returns whether the peer was asked to stop writing an image and has not answered yet. */
    boolean isAwaited() {
        return closing > 0;
    }

    /** Formats an address for messages. */
    static String text(InetSocketAddress address) {
        return address == null || address.getAddress() == null
                ? String.valueOf(address)
                : address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /**
     * Returns the image of a registration that the peer writes or was asked to stop writing, or
     * null.
     */
    IncomingImage written(long registrationId) {
        for (int i = 0; i < images.size(); i++) {
            IncomingImage image = images.get(i);
            if (image.offer.registrationId() == registrationId
                    && image.state() != IncomingImage.State.UNWRITABLE) {
                return image;
            }
        }
        return null;
    }

    /** Returns whether the peer writes an image, or was asked to stop and has not confirmed it. */
    boolean isWriting() {
        for (int i = 0; i < images.size(); i++) {
            if (images.get(i).state() != IncomingImage.State.UNWRITABLE) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the peer has offered a stream in response to an announcement of this driver.
     *
     * @param controlId id of the control address.
     * @param session session of the stream; null for any.
     */
    boolean hasOffered(long controlId, AwaitedResponses session) {
        for (int i = 0; i < images.size(); i++) {
            if (isOf(images.get(i).offer, controlId, session)) {
                return true;
            }
        }
        return hasOffered(deferred, controlId, session) || hasOffered(pending, controlId, session);
    }

    private static boolean hasOffered(
            List<Setup> offers, long controlId, AwaitedResponses session) {
        for (int i = 0; i < offers.size(); i++) {
            if (isOf(offers.get(i), controlId, session)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOf(Setup offer, long controlId, AwaitedResponses session) {
        return offer.controlId() == controlId
                && (session == null
                        || session.streamId() == offer.streamId()
                                && session.sessionId() == offer.sessionId());
    }

    /**
     * Marks that the peer is notified that a stream's last offer is deferred. Returns false if it
     * was notified before.
     */
    boolean markDeferred(long registrationId) {
        return notified.add(registrationId);
    }

    /** Called when the peer has offered a stream again, or has closed it. */
    void forgetDeferred(long registrationId) {
        notified.remove(registrationId);
    }

    Setup deferred(long registrationId) {
        return find(deferred, registrationId);
    }

    Setup pending(long registrationId) {
        return find(pending, registrationId);
    }

    private static Setup find(List<Setup> offers, long registrationId) {
        for (int i = 0; i < offers.size(); i++) {
            if (offers.get(i).registrationId() == registrationId) {
                return offers.get(i);
            }
        }
        return null;
    }
}
