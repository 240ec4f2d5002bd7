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
 * Sends the control frames of an endpoint's receivers from its socket: status messages, NAKs and
 * round-trip measurements. Used by the receiver's thread only.
 */
final class ControlSender {
    private final UdpEndpoint endpoint;
    private final DatagramSocket socket;
    private final SendBatch outgoing;
    private final ReceiverCounters counters;
    private final Queue<ReceiverEvent> events;
    private final RefusalReports refusals = new RefusalReports();

    /**
     * @param endpoint endpoint to answer from.
     * @param socket socket of the endpoint.
     * @param outgoing send batch of the receiver, empty between its calls.
     * @param counters counters of the receiver.
     * @param events queue for reports to the conductor.
     */
    ControlSender(
            UdpEndpoint endpoint,
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

    /** Sends the frame at the start of a buffer; returns false if the kernel does not accept it. */
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
