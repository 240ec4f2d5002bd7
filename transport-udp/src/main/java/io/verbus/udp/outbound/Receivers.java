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
 * <p>Nobody is taken for a receiver because he says so: an address proves nothing. Who is unknown
 * is sent a set-up, as long as what he sent, and is taken in when he answers with a status message
 * for a stream that he can know only from that.
 */
final class Receivers {
    private static final long STRANGER_INTERVAL_NS = 10_000_000;
    private static final int STRANGERS_PER_INTERVAL = 16;
    private static final int MAX_REMOVED = 64;

    private final boolean isDynamic;
    private final long timeoutNs;

    /** How many there are, for operators; null where each has counters of its own. */
    private final AtomicCounter counter;

    private Receiver[] all;
    private int count;
    private int first;
    private int errno;
    private boolean isJoiningRefused;
    private SocketAddress refusing;
    private long strangersNs;
    private int strangers;

    /** Ids of those that were removed last: they go on answering for a while, and do not count. */
    private final LongHashSet removed = new LongHashSet();

    private Receivers(boolean isDynamic, Receiver[] all, long timeoutNs, AtomicCounter counter) {
        this.isDynamic = isDynamic;
        this.all = all;
        this.timeoutNs = timeoutNs;
        this.counter = counter;
    }

    /** Those that are added one by one. */
    static Receivers manual(long timeoutNs) {
        return new Receivers(false, new Receiver[0], timeoutNs, null);
    }

    /**
     * Those that come by themselves.
     *
     * @param capacity most that are taken in.
     * @param timeoutNs after which a silent one is gone.
     * @param counter of how many there are.
     */
    static Receivers dynamic(int capacity, long timeoutNs, AtomicCounter counter) {
        Receiver[] places = new Receiver[capacity];
        Arrays.setAll(places, i -> new Receiver(new SocketAddress(), null, null));
        return new Receivers(true, places, timeoutNs, counter);
    }

    boolean isEmpty() {
        return count == 0;
    }

    void add(Receiver receiver) {
        all = Arrays.copyOf(all, count + 1);
        all[count++] = receiver;
    }

    void remove(Receiver receiver) {
        if (receiver.isHeard) {
            if (removed.size() == MAX_REMOVED) {
                removed.clear();
            }
            removed.add(receiver.id);
        }
        Receiver[] left = new Receiver[all.length];
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
     * A receiver has answered for a stream.
     *
     * @return whether he is one of these now; if not, there is no room, or he was removed.
     */
    boolean heard(SocketAddress source, long receiverId, long position, long nowNs) {
        int index = indexOf(source);
        if (index < 0) {
            if (!isDynamic) {
                // It may answer from another address than that of the destination.
                return !removed.contains(receiverId);
            }
            if (count == all.length) {
                return false;
            }
            index = count++;
            all[index].address.set(source);
            counter.setRelease(count);
        }
        removed.remove(receiverId);
        all[index].heard(receiverId, position, nowNs);
        return true;
    }

    boolean isDynamic() {
        return isDynamic;
    }

    private int indexOf(SocketAddress source) {
        for (int i = 0; i < count; i++) {
            if (all[i].address.isSame(source)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether somebody unknown, who asks for set-ups, may be answered now. */
    boolean mayAnswerStranger(SocketAddress source, long nowNs) {
        if (!isDynamic || indexOf(source) >= 0) {
            return false;
        }
        if (nowNs - strangersNs >= STRANGER_INTERVAL_NS) {
            strangersNs = nowNs;
            strangers = 0;
        }
        return strangers++ < STRANGERS_PER_INTERVAL;
    }

    /** Forgets who has been silent for too long. */
    void expire(long nowNs) {
        for (int i = count - 1; i >= 0; i--) {
            Receiver receiver = all[i];
            if (receiver.isHeard && nowNs - receiver.heardNs >= timeoutNs) {
                receiver.silent();
                if (isDynamic) {
                    all[i] = all[--count];
                    all[count] = receiver;
                    counter.setRelease(count);
                }
            }
        }
    }

    /**
     * Sends a batch to each, and empties it. Where one is refused the others are not: what he
     * misses he asks for again. Each time another is the first.
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
