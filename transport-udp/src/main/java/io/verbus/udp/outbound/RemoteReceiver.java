// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.status.AtomicCounter;

/** One of several receivers of a socket. Sender's thread, once it was handed over. */
final class RemoteReceiver {
    final SocketAddress address;

    /** Counters for operators, which the conductor closes; null for one that came by itself. */
    final AtomicCounter released;

    final AtomicCounter connected;

    /** Id of the receiver there. */
    long id;

    long heardNs;
    boolean isHeard;

    /** When an answer last showed a receiver there, of one that came by itself. */
    long presentNs;

    /** When the sender last asked there. */
    long askedNs;

    /** Streams that are received there, of an address in {@link KnownReceivers}. */
    int streams;

    RemoteReceiver(SocketAddress address, AtomicCounter released, AtomicCounter connected) {
        this.address = address;
        this.released = released;
        this.connected = connected;
    }

    void heard(long receiverId, long position, long nowNs) {
        id = receiverId;
        heardNs = nowNs;
        if (released != null) {
            released.setRelease(position);
            if (!isHeard) {
                connected.setRelease(1);
            }
        }
        isHeard = true;
    }

    void silent() {
        isHeard = false;
        if (connected != null) {
            connected.setRelease(0);
        }
    }

    void closeCounters() {
        if (released != null) {
            released.close();
            connected.close();
        }
    }
}
