// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.common.RateLimit;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.collections.LongHashSet;

/**
 * Receivers that each get a copy of each datagram of a stream: those that were added one by one, or
 * dynamic receivers that have not been silent for too long. Used by the sender's thread only.
 *
 * <p>A status message alone is not proof of a receiver: its source address may be forged, and every
 * requester learns the ids and positions of a stream. An unknown address gets a setup, about as
 * long as its own datagram. When it sends a status message for the stream, the sender sends a
 * challenge, a round-trip measurement with a number that only a receiver at that address can know.
 * The receiver is accepted when it returns the number, and must do so repeatedly.
 */
final class RemoteReceivers {
    private static final int MAX_REMOVED = 64;

    /** Number of unanswered challenges after which a receiver is considered gone. */
    private static final int QUESTIONS = 5;

    /** Minimum interval between challenges, answered or not. */
    private static final long MIN_QUESTION_INTERVAL_NS = 10_000_000;

    private final boolean isDynamic;
    private final int capacity;
    private final long timeoutNs;

    /**
     * Receivers of all streams of the control address; null if each stream has its own receivers.
     */
    private final KnownReceivers known;

    private final ReceiverList all = new ReceiverList();
    private final AddressValidation validation = new AddressValidation();
    private final RateLimit questions = RateLimit.ofSender();

    /**
     * Ids of recently removed receivers, which keep responding for a while; their responses do not
     * count.
     */
    private final LongHashSet removed = new LongHashSet();

    private RemoteReceivers(boolean isDynamic, int capacity, long timeoutNs, KnownReceivers known) {
        this.isDynamic = isDynamic;
        this.capacity = capacity;
        this.timeoutNs = timeoutNs;
        this.known = known;
    }

    /** Creates a list of receivers that are added one by one. */
    static RemoteReceivers manual(long timeoutNs) {
        return new RemoteReceivers(false, Integer.MAX_VALUE, timeoutNs, null);
    }

    /**
     * Creates the list of a stream's dynamic receivers.
     *
     * @param capacity maximum number of receivers.
     * @param timeoutNs silence after which a receiver is considered gone.
     * @param known receivers of all streams of the control address.
     */
    static RemoteReceivers dynamic(int capacity, long timeoutNs, KnownReceivers known) {
        return new RemoteReceivers(true, capacity, timeoutNs, known);
    }

    /**
     * Creates the list for a stream of responses, whose only receiver is the requester.
     *
     * @param timeoutNs silence after which the receiver is considered gone.
     */
    static RemoteReceivers requester(long timeoutNs) {
        return dynamic(1, timeoutNs, null);
    }

    boolean isEmpty() {
        return all.count() == 0;
    }

    /** Returns the receivers of the stream's datagrams. */
    ReceiverList all() {
        return all;
    }

    /** Returns the receivers to which the stream is offered while it has none. */
    ReceiverList offered() {
        return known == null ? all : known.all();
    }

    /**
     * Returns the receiver at an address, or else the receiver with an id; null if there is none.
     */
    RemoteReceiver find(SocketAddress source, long receiverId) {
        RemoteReceiver there = all.find(source);
        for (int i = 0; there == null && i < all.count(); i++) {
            RemoteReceiver each = all.get(i);
            there = each.isHeard && each.id == receiverId ? each : null;
        }
        return there;
    }

    void add(RemoteReceiver receiver) {
        all.add(receiver);
    }

    void remove(RemoteReceiver receiver) {
        if (receiver.isHeard) {
            if (removed.size() == MAX_REMOVED) {
                removed.clear();
            }
            removed.add(receiver.id);
        }
        all.remove(receiver);
    }

    /**
     * Handles a status message from an address.
     *
     * @return whether one of these receivers sent it; for manual destinations, false only if the
     *     receiver was removed.
     */
    boolean heard(SocketAddress source, long receiverId, long position, long nowNs) {
        RemoteReceiver receiver = all.find(source);
        if (receiver == null) {
            // A receiver may respond from an address other than the destination's.
            return !isDynamic && !removed.contains(receiverId);
        }
        removed.remove(receiverId);
        receiver.heard(receiverId, position, nowNs);
        return true;
    }

    /**
     * Returns whether to send a challenge to an address from which a status message has come; if
     * so, counts it as sent.
     */
    boolean mustAsk(SocketAddress source, long nowNs) {
        if (!isDynamic) {
            return false;
        }
        RemoteReceiver receiver = all.find(source);
        if (receiver == null) {
            return !isFull() && questions.take(nowNs);
        }
        if (nowNs - receiver.presentNs < timeoutNs / QUESTIONS
                || nowNs - receiver.askedNs < MIN_QUESTION_INTERVAL_NS) {
            return false;
        }
        receiver.askedNs = nowNs;
        return true;
    }

    /** Returns the number for a challenge to an address. */
    long question(SocketAddress source, long nowNs) {
        return validation.question(source, nowNs);
    }

    /**
     * Handles the answer to a challenge: accepts its sender if the number is right.
     *
     * @return false if the number is wrong.
     */
    boolean answered(SocketAddress source, long number, long nowNs) {
        if (!isDynamic || !validation.isAnswer(source, number, nowNs)) {
            return false;
        }
        RemoteReceiver receiver = all.find(source);
        if (receiver == null && !isFull()) {
            receiver = all.addAt(source);
            receiver.askedNs = nowNs;
            if (known != null) {
                known.enter(source);
            }
        }
        if (receiver != null) {
            receiver.presentNs = nowNs;
        }
        return true;
    }

    boolean isDynamic() {
        return isDynamic;
    }

    /** Returns whether there is no room for another dynamic receiver. */
    boolean isFull() {
        return all.count() >= capacity;
    }

    /** Returns whether one of these receivers is at an address. */
    boolean isKnown(SocketAddress source) {
        return all.find(source) != null;
    }

    /** Removes a receiver that leaves, if it is dynamic. */
    void left(SocketAddress source) {
        for (int i = all.count() - 1; isDynamic && i >= 0; i--) {
            if (all.get(i).address.isSame(source)) {
                forget(i);
            }
        }
    }

    /** Drops receivers that were silent, or did not answer challenges, for too long. */
    void expire(long nowNs) {
        for (int i = all.count() - 1; i >= 0; i--) {
            RemoteReceiver receiver = all.get(i);
            if (isDynamic && nowNs - receiver.presentNs >= timeoutNs) {
                forget(i);
            } else if (receiver.isHeard && nowNs - receiver.heardNs >= timeoutNs) {
                receiver.silent();
            }
        }
    }

    /** Removes dynamic receivers at the end of the stream. */
    void clear() {
        for (int i = all.count() - 1; isDynamic && i >= 0; i--) {
            forget(i);
        }
    }

    private void forget(int index) {
        RemoteReceiver receiver = all.get(index);
        all.remove(index);
        receiver.silent();
        if (known != null) {
            known.leave(receiver.address);
        }
    }
}
