// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.common.ReceiverCounters;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.ReceiptTime;
import io.verbus.udp.socket.ReceiveBatch;

import java.util.Queue;

/**
 * The times at which an endpoint's datagrams were received: the adapter's time if the driver
 * prefers it and the adapter has written one, otherwise the kernel's. Used by the receiver's thread
 * only.
 */
final class MediaTimes {
    private final UdpEndpoint endpoint;
    private final DatagramSocket socket;
    private final ReceiveBatch incoming;
    private final ReceiverCounters counters;
    private final Queue<ReceiverEvent> events;
    private final boolean prefersAdapter;
    private final ReceiptTime time = new ReceiptTime();
    private boolean isReported;

    MediaTimes(
            UdpEndpoint endpoint,
            DatagramSocket socket,
            ReceiveBatch incoming,
            ReceiverCounters counters,
            Queue<ReceiverEvent> events,
            boolean prefersAdapter) {
        this.endpoint = endpoint;
        this.socket = socket;
        this.incoming = incoming;
        this.counters = counters;
        this.events = events;
        this.prefersAdapter = prefersAdapter;
    }

    /**
     * Returns when a datagram of the batch was received, in nanoseconds since the epoch; 0 if no
     * stream of the endpoint requests the time, or the kernel has not begun to write times.
     */
    long of(int index) {
        if (!socket.tellsTime()) {
            return 0;
        }
        incoming.readTime(index, time);
        if (prefersAdapter) {
            if (time.adapterNs() != 0) {
                counters.adapterTimes.incrementRelease();
                return time.adapterNs();
            }
            report();
        }
        if (time.kernelNs() != 0) {
            counters.kernelTimes.incrementRelease();
        }
        return time.kernelNs();
    }

    private void report() {
        if (!isReported) {
            isReported = true;
            events.add(new ReceiverEvent.Untimed(endpoint));
        }
    }
}
