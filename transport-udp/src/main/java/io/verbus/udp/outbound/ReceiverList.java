// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;

import java.util.Arrays;

/**
 * Receivers that each get a copy of each datagram. Each address occurs once. Used by the sender's
 * thread only.
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

    /** Returns the receiver at an address; null if there is none. */
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
     * Adds a dynamic receiver. Reuses the objects of removed receivers, so it allocates only when
     * the number of receivers reaches a new maximum.
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

    /** Removes the receiver at an index; the last receiver takes its place. */
    void remove(int index) {
        RemoteReceiver removed = all[index];
        all[index] = all[--count];
        all[count] = removed;
    }

    /** Removes a receiver, and drops the reference to it. */
    void remove(RemoteReceiver receiver) {
        for (int i = count - 1; i >= 0; i--) {
            if (all[i] == receiver) {
                remove(i);
                all[count] = null;
            }
        }
    }

    /**
     * Sends a batch to each receiver, and empties the batch. If the kernel rejects the batch for
     * one receiver, the other receivers still get it, since a receiver requests the data that it
     * misses. The order rotates with each call.
     *
     * @return largest number of datagrams accepted for one receiver.
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

    /** Returns whether the kernel could not segment joined datagrams for one of the receivers. */
    boolean isJoiningRefused() {
        return isJoiningRefused;
    }

    /** Returns the errno with which the kernel rejected the last batch for a receiver, or 0. */
    int errno() {
        return errno;
    }

    /** Returns the address of that receiver. */
    SocketAddress refusing() {
        return refusing;
    }
}
