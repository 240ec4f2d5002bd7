// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.status.AtomicCounter;

import java.util.Arrays;

/**
 * The receivers of a socket that sends each datagram to all of them: those that were added one by
 * one, or those that came by themselves and are not silent for too long. Sender's thread.
 *
 * <p>A status message makes no receiver: an address proves nothing, and every asker learns the ids
 * and positions of a stream. An unknown address gets a set-up, about as long as what came from
 * there. When a status message comes from it, the sender asks there, in a round trip measurement,
 * for a number that only a receiver at that address can know. The receiver counts from when it
 * gives the number back, and must do so again and again.
 */
final class RemoteReceivers {
    private static final int MAX_REMOVED = 64;

    /** Times that a receiver is asked, and answers, before it is taken for gone. */
    private static final int QUESTIONS = 5;

    /** A question is not repeated sooner, whether or not it was answered. */
    private static final long MIN_QUESTION_INTERVAL_NS = 10_000_000;

    private final boolean isDynamic;
    private final long timeoutNs;

    /** How many there are, for operators; null where each has counters of its own, or is alone. */
    private final AtomicCounter counter;

    private RemoteReceiver[] all;
    private int count;
    private int first;
    private int errno;
    private boolean isJoiningRefused;
    private SocketAddress refusing;
    private final Presence presence = new Presence();
    private final Allowance setups = new Allowance();
    private final Allowance questions = new Allowance();

    /** Ids of those that were removed last: they go on answering for a while, and do not count. */
    private final LongHashSet removed = new LongHashSet();

    private RemoteReceivers(
            boolean isDynamic, RemoteReceiver[] all, long timeoutNs, AtomicCounter counter) {
        this.isDynamic = isDynamic;
        this.all = all;
        this.timeoutNs = timeoutNs;
        this.counter = counter;
    }

    /** Those that are added one by one. */
    static RemoteReceivers manual(long timeoutNs) {
        return new RemoteReceivers(false, new RemoteReceiver[0], timeoutNs, null);
    }

    /**
     * Those that come by themselves.
     *
     * @param capacity most that are taken in.
     * @param timeoutNs after which a silent one is gone.
     * @param counter of how many there are.
     */
    static RemoteReceivers dynamic(int capacity, long timeoutNs, AtomicCounter counter) {
        RemoteReceiver[] places = new RemoteReceiver[capacity];
        Arrays.setAll(places, i -> new RemoteReceiver(new SocketAddress(), null, null));
        return new RemoteReceivers(true, places, timeoutNs, counter);
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
        return count == 0;
    }

    void add(RemoteReceiver receiver) {
        all = Arrays.copyOf(all, count + 1);
        all[count++] = receiver;
    }

    void remove(RemoteReceiver receiver) {
        if (receiver.isHeard) {
            if (removed.size() == MAX_REMOVED) {
                removed.clear();
            }
            removed.add(receiver.id);
        }
        RemoteReceiver[] left = new RemoteReceiver[all.length];
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (all[i] != receiver) {
                left[kept++] = all[i];
            }
        }
        all = Arrays.copyOf(left, kept);
        count = kept;
    }

    /**
     * A status message has come from an address.
     *
     * @return whether one of these sent it; where they are added one by one, whether none that was
     *     removed did.
     */
    boolean heard(SocketAddress source, long receiverId, long position, long nowNs) {
        RemoteReceiver receiver = find(source);
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
        RemoteReceiver receiver = find(source);
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
        RemoteReceiver receiver = find(source);
        if (receiver == null && !isFull()) {
            receiver = all[count++];
            receiver.address.set(source);
            receiver.askedNs = nowNs;
            tellCount();
        }
        if (receiver != null) {
            receiver.presentNs = nowNs;
        }
        return true;
    }

    private void tellCount() {
        if (counter != null) {
            counter.setRelease(count);
        }
    }

    boolean isDynamic() {
        return isDynamic;
    }

    /** Whether there is no room for one more that comes by itself. */
    boolean isFull() {
        return count == all.length;
    }

    /** Whether one of these is at an address. */
    boolean isKnown(SocketAddress source) {
        return find(source) != null;
    }

    private RemoteReceiver find(SocketAddress source) {
        for (int i = 0; i < count; i++) {
            if (all[i].address.isSame(source)) {
                return all[i];
            }
        }
        return null;
    }

    /** Whether an unknown address that asks for set-ups may have an answer now. */
    boolean mayAnswerStranger(SocketAddress source, long nowNs) {
        return isDynamic && !isKnown(source) && setups.take(nowNs);
    }

    /** Forgets receivers that were silent, or answered no question, for too long. */
    void expire(long nowNs) {
        for (int i = count - 1; i >= 0; i--) {
            RemoteReceiver receiver = all[i];
            if (isDynamic && nowNs - receiver.presentNs >= timeoutNs) {
                all[i] = all[--count];
                all[count] = receiver;
                tellCount();
                receiver.silent();
            } else if (receiver.isHeard && nowNs - receiver.heardNs >= timeoutNs) {
                receiver.silent();
            }
        }
    }

    /**
     * Sends a batch to each, and empties it. A refusal for one does not stop the others: a receiver
     * asks again for what it misses. Each time another is the first.
     *
     * @return how many datagrams were taken for the one for whom most were.
     */
    int send(SendBatch batch, int fd) {
        int most = 0;
        errno = 0;
        isJoiningRefused = false;
        first = first + 1 < count ? first + 1 : 0;
        for (int i = 0, index = first; i < count; i++) {
            most = Math.max(most, batch.sendTo(fd, all[index].address));
            isJoiningRefused |= batch.isJoiningRefused();
            if (batch.errno() != 0) {
                errno = batch.errno();
                refusing = all[index].address;
            }
            index = index + 1 == count ? 0 : index + 1;
        }
        batch.clear();
        return most;
    }

    /** Whether the kernel could not cut apart, for one of them, what was joined. */
    boolean isJoiningRefused() {
        return isJoiningRefused;
    }

    /** Why the kernel refused one of the last batch, or 0. */
    int errno() {
        return errno;
    }

    /** Whom it refused. */
    SocketAddress refusing() {
        return refusing;
    }

    void close() {
        if (counter != null) {
            counter.close();
        }
    }
}
