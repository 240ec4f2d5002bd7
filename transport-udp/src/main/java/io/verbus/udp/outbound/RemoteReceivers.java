// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.common.Allowance;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.collections.LongHashSet;

/**
 * The receivers that each datagram of a stream is sent to: those that were added one by one, or
 * those that came by themselves and are not silent for too long. Sender's thread.
 *
 * <p>A status message makes no receiver: an address proves nothing, and every asker learns the ids
 * and positions of a stream. An unknown address gets a set-up, about as long as what came from
 * there. When a status message of the stream comes from it, the sender asks there, in a round trip
 * measurement, for a number that only a receiver at that address can know. The receiver counts from
 * when it gives the number back, and must do so again and again.
 */
final class RemoteReceivers {
    private static final int MAX_REMOVED = 64;

    /** Times that a receiver is asked, and answers, before it is taken for gone. */
    private static final int QUESTIONS = 5;

    /** A question is not repeated sooner, whether or not it was answered. */
    private static final long MIN_QUESTION_INTERVAL_NS = 10_000_000;

    private final boolean isDynamic;
    private final int capacity;
    private final long timeoutNs;

    /** Receivers of all streams of the control address; null where each stream has its own. */
    private final KnownReceivers known;

    private final ReceiverList all = new ReceiverList();
    private final Presence presence = new Presence();
    private final Allowance questions = Allowance.ofSender();

    /** Ids of those that were removed last: they go on answering for a while, and do not count. */
    private final LongHashSet removed = new LongHashSet();

    private RemoteReceivers(boolean isDynamic, int capacity, long timeoutNs, KnownReceivers known) {
        this.isDynamic = isDynamic;
        this.capacity = capacity;
        this.timeoutNs = timeoutNs;
        this.known = known;
    }

    /** Those that are added one by one. */
    static RemoteReceivers manual(long timeoutNs) {
        return new RemoteReceivers(false, Integer.MAX_VALUE, timeoutNs, null);
    }

    /**
     * Those of one stream that come by themselves.
     *
     * @param capacity most that are taken in.
     * @param timeoutNs after which a silent one is gone.
     * @param known those of all streams of the control address.
     */
    static RemoteReceivers dynamic(int capacity, long timeoutNs, KnownReceivers known) {
        return new RemoteReceivers(true, capacity, timeoutNs, known);
    }

    /**
     * The one that asks for a stream of responses.
     *
     * @param timeoutNs after which a silent one is gone.
     */
    static RemoteReceivers requester(long timeoutNs) {
        return dynamic(1, timeoutNs, null);
    }

    boolean isEmpty() {
        return all.count() == 0;
    }

    /** Whom the stream's datagrams are sent to. */
    ReceiverList all() {
        return all;
    }

    /** Whom the stream is offered to while it has no receiver. */
    ReceiverList offered() {
        return known == null ? all : known.all();
    }

    /**
     * The receiver at an address, or else the one that is heard by an id; null if there is none.
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
     * A status message has come from an address.
     *
     * @return whether one of these sent it; where they are added one by one, whether none that was
     *     removed did.
     */
    boolean heard(SocketAddress source, long receiverId, long position, long nowNs) {
        RemoteReceiver receiver = all.find(source);
        if (receiver == null) {
            // It may answer from another address than that of the destination.
            return !isDynamic && !removed.contains(receiverId);
        }
        removed.remove(receiverId);
        receiver.heard(receiverId, position, nowNs);
        return true;
    }

    /**
     * Whether to ask at an address, from which a status message has come, if a receiver is there;
     * counts it as asked.
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

    /** The number that is asked for at an address. */
    long question(SocketAddress source, long nowNs) {
        return presence.question(source, nowNs);
    }

    /**
     * An answer has come: takes its sender in, if it has the number that was asked for.
     *
     * @return false if it has not.
     */
    boolean answered(SocketAddress source, long number, long nowNs) {
        if (!isDynamic || !presence.isAnswer(source, number, nowNs)) {
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

    /** Whether there is no room for one more that comes by itself. */
    boolean isFull() {
        return all.count() >= capacity;
    }

    /** Whether one of these is at an address. */
    boolean isKnown(SocketAddress source) {
        return all.find(source) != null;
    }

    /** A receiver leaves: one that came by itself is sent nothing more. */
    void left(SocketAddress source) {
        for (int i = all.count() - 1; isDynamic && i >= 0; i--) {
            if (all.get(i).address.isSame(source)) {
                forget(i);
            }
        }
    }

    /** Forgets receivers that were silent, or answered no question, for too long. */
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

    /** The stream has ended. */
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
