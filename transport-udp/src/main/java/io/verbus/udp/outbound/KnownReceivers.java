// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * Addresses of all dynamic receivers of a control address, whichever streams they receive. A stream
 * without receivers is offered to all of them, because a receiver stops asking for streams once it
 * has one. Used by the sender's thread only, except for {@link #close}.
 */
final class KnownReceivers {
    private final ReceiverList all = new ReceiverList();
    private final AtomicCounter counter;

    /**
     * @param counter counter of addresses; closed with this object.
     */
    KnownReceivers(AtomicCounter counter) {
        this.counter = counter;
    }

    /** Returns the receivers, one per address. */
    ReceiverList all() {
        return all;
    }

    /** Adds a stream that has a receiver at an address. */
    void enter(SocketAddress address) {
        RemoteReceiver known = all.find(address);
        if (known == null) {
            known = all.addAt(address);
            known.streams = 0;
            counter.setRelease(all.count());
        }
        known.streams++;
    }

    /** Removes a stream that had a receiver at an address. */
    void leave(SocketAddress address) {
        for (int i = 0; i < all.count(); i++) {
            RemoteReceiver known = all.get(i);
            if (known.address.isSame(address)) {
                known.streams--;
                if (known.streams == 0) {
                    all.remove(i);
                    counter.setRelease(all.count());
                }
                return;
            }
        }
    }

    /**
     * Frees the counter. Called by the conductor, after the sender has detached the destination.
     */
    void close() {
        counter.close();
    }
}
