// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.Admittance;
import io.verbus.rdma.common.ConnectionCounters;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.fabric.Connection;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A connection that a publishing driver has made, and what it carries. Conductor's thread. */
final class InboundPeer {
    enum State {
        ACCEPTED,
        UP,

        /** The endpoint has no subscription any more: ends when the peer has every answer. */
        LEAVING,

        /** The receiver was asked to let go. */
        RELEASING,

        /** It is being taken down. */
        ENDING
    }

    final Connection connection;
    final InboundListener listener;
    final ConnectionCounters counters;
    final long driverId;
    final String source;

    /** The source without its port, which differs from connection to connection. */
    final String host;

    /** Streams without a subscription yet, or that an older connection still carries. */
    final List<Setup> deferred = new ArrayList<>();

    /** Streams whose images are being made. */
    final List<Setup> pending = new ArrayList<>();

    final List<IncomingImage> images = new ArrayList<>();

    /** Version of the protocol in which the two drivers speak. */
    final int version;

    /** Whether each side commits only what the other has confirmed. */
    final boolean confirms;

    final InboundMemory memory;

    private State state = State.ACCEPTED;

    /** Null before the connection stands. */
    private InboundLink link;

    /** The proof that the peer owes before all else; null if it owes none. */
    private Proof awaited;

    /** The peer has broken the protocol: its images are not held. */
    private boolean isHostile;

    /** A newer connection of the same driver offers a stream that this one carries. */
    private boolean isSuperseded;

    /** When it must have offered a stream. */
    final long deadlineNs;

    /** Images that it was told to stop writing, and that it has not answered for. */
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
        this.host = Admittance.hostOf(connection.remoteAddress());
        this.deadlineNs = deadlineNs;
    }

    State state() {
        return state;
    }

    /** The connection stands. */
    void up(InboundLink made) {
        link = made;
        state = State.UP;
    }

    /** The receiver's end; null before the connection stands. */
    InboundLink link() {
        return link;
    }

    /** Whether the receiver lets go of it, or has: nothing more is answered. */
    boolean isGoing() {
        return state == State.RELEASING || state == State.ENDING;
    }

    /** It is taken down: the peer may still write for a moment. */
    void end() {
        state = State.ENDING;
    }

    /** It ends when the peer has every answer. */
    void leave() {
        state = State.LEAVING;
    }

    /** The receiver is asked to let go of it. */
    void release() {
        state = State.RELEASING;
    }

    /** Whether the peer owes a proof of its key: until then it may say nothing else. */
    boolean owesProof() {
        return awaited != null;
    }

    /** Takes a proof; whether it is the right one, and in time. */
    boolean prove(Proof proof) {
        boolean isRight = awaited != null && awaited.isSame(proof);
        awaited = isRight ? null : awaited;
        return isRight;
    }

    boolean isHostile() {
        return isHostile;
    }

    /** The peer has broken the protocol. */
    void onViolation() {
        isHostile = true;
    }

    boolean isSuperseded() {
        return isSuperseded;
    }

    /** A newer connection of the same driver offers a stream that this one carries. */
    void supersede() {
        isSuperseded = true;
    }

    /** The peer is told to stop writing one more image. */
    void awaitClose() {
        closing++;
    }

    /** The peer has answered for an image that it was told to stop writing. */
    void onClosed() {
        closing--;
    }

    /** Whether the peer owes an answer for an image that it was told to stop writing. */
    boolean isAwaited() {
        return closing > 0;
    }

    /** An address as peers are called, for people. */
    static String text(InetSocketAddress address) {
        return address == null || address.getAddress() == null
                ? String.valueOf(address)
                : address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** The image of a registration that the peer writes or was told to stop writing; or null. */
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

    /** Whether the peer writes an image, or was told to stop and has not said that it did. */
    boolean isWriting() {
        for (int i = 0; i < images.size(); i++) {
            if (images.get(i).state() != IncomingImage.State.UNWRITABLE) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether the peer has offered a stream because this driver has announced itself.
     *
     * @param controlId of the control address.
     * @param session that it is to be of; null for any.
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
