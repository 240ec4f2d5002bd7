// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;

import java.util.Arrays;

/**
 * Receivers that a datagram is sent to one after the other. An address stands there once. Sender's
 * thread.
 */
final class ReceiverList {
    private RemoteReceiver[] all = new RemoteReceiver[0];
    private int count;
    private int first;
    private int errno;
    private boolean isJoiningRefused;
    private SocketAddress refusing;

    int count() {
        return count;
    }

    RemoteReceiver get(int index) {
        return all[index];
    }

    /** The receiver at an address; null if there is none. */
    RemoteReceiver find(SocketAddress source) {
        for (int i = 0; i < count; i++) {
            if (all[i].address.isSame(source)) {
                return all[i];
            }
        }
        return null;
    }

    void add(RemoteReceiver receiver) {
        makeRoom();
        all[count++] = receiver;
    }

    /**
     * Adds a receiver that has come by itself: one that has left before serves again, so that
     * memory is only taken when there are more than ever.
     */
    RemoteReceiver addAt(SocketAddress address) {
        makeRoom();
        if (all[count] == null) {
            all[count] = new RemoteReceiver(new SocketAddress(), null, null);
        }
        RemoteReceiver receiver = all[count++];
        receiver.address.set(address);
        return receiver;
    }

    private void makeRoom() {
        if (count == all.length) {
            all = Arrays.copyOf(all, Math.max(4, 2 * count));
        }
    }

    /** Removes the receiver at an index; the last one takes its place. */
    void remove(int index) {
        RemoteReceiver removed = all[index];
        all[index] = all[--count];
        all[count] = removed;
    }

    /** Removes a receiver, and keeps nothing of it. */
    void remove(RemoteReceiver receiver) {
        for (int i = count - 1; i >= 0; i--) {
            if (all[i] == receiver) {
                remove(i);
                all[count] = null;
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
}
