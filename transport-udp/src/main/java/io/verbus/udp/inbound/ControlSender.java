// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.udp.common.ReceiverCounters;
import io.verbus.udp.common.RefusalReports;
import io.verbus.udp.socket.DatagramSocket;
import io.verbus.udp.socket.SendBatch;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Queue;

/**
 * Sends what the receivers of an endpoint have to say, from its socket: status messages, NAKs and
 * questions for the round trip time. Receiver's thread.
 */
final class ControlSender {
    private final ReceiveEndpoint endpoint;
    private final DatagramSocket socket;
    private final SendBatch outgoing;
    private final ReceiverCounters counters;
    private final Queue<ReceiverEvent> events;
    private final RefusalReports refusals = new RefusalReports();

    /**
     * @param endpoint that is answered from.
     * @param socket of the endpoint.
     * @param outgoing of the receiver, empty between its calls.
     * @param counters of the receiver.
     * @param events where the conductor is told of refusals.
     */
    ControlSender(
            ReceiveEndpoint endpoint,
            DatagramSocket socket,
            SendBatch outgoing,
            ReceiverCounters counters,
            Queue<ReceiverEvent> events) {
        this.endpoint = endpoint;
        this.socket = socket;
        this.outgoing = outgoing;
        this.counters = counters;
        this.events = events;
    }

    /** Sends what a buffer begins with; false if the kernel does not take it. */
    boolean send(SocketAddress sender, UnsafeBuffer frame, int length, long nowNs) {
        outgoing.add(sender, frame.addressOffset(), length);
        if (outgoing.send(socket.fd()) > 0) {
            return true;
        }
        counters.onShortSend();
        if (refusals.isDue(outgoing.errno(), nowNs)) {
            events.add(new ReceiverEvent.Refused(endpoint, outgoing.errno()));
        }
        return false;
    }
}
