// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.status.AtomicCounter;

/**
 * One of several receivers to which a socket sends. Used by the sender's thread only, once it was
 * handed over.
 */
final class RemoteReceiver {
    final SocketAddress address;

    /** Counters, closed by the conductor; null for a dynamic receiver. */
    final AtomicCounter released;

    final AtomicCounter connected;

    /** Receiver id in the last status message. */
    long id;

    long heardNs;
    boolean isHeard;

    /** Time of the last answer to a challenge, for dynamic receivers. */
    long presentNs;

    /** Time of the last challenge. */
    long askedNs;

    /** Number of streams received at this address, for an entry of {@link KnownReceivers}. */
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
