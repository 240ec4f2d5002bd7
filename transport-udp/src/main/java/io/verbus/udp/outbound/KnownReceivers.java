// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * The addresses of all receivers that have come to a control address, whichever of its streams they
 * receive: a stream that has none is offered there, as a receiver asks for streams only until it
 * has one. Sender's thread, but for {@link #close}.
 */
final class KnownReceivers {
    private final ReceiverList all = new ReceiverList();
    private final AtomicCounter counter;

    /**
     * @param counter of how many there are; closed with this.
     */
    KnownReceivers(AtomicCounter counter) {
        this.counter = counter;
    }

    /** The addresses. */
    ReceiverList all() {
        return all;
    }

    /** One more stream has a receiver at an address. */
    void enter(SocketAddress address) {
        RemoteReceiver known = all.find(address);
        if (known == null) {
            known = all.addAt(address);
            known.streams = 0;
            counter.setRelease(all.count());
        }
        known.streams++;
    }

    /** A stream has no receiver at an address any more. */
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

    /** Conductor, when the sender has let go. */
    void close() {
        counter.close();
    }
}
