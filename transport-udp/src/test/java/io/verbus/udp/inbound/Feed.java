// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.transport.InboundEndpoint;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.UnsafeBuffer;

/** Hands datagrams to an endpoint as if its socket had received them. */
public final class Feed {
    private final ReceiveEndpoint endpoint;
    private final SocketAddress source;

    public Feed(InboundEndpoint endpoint, SocketAddress source) {
        this.endpoint = (ReceiveEndpoint) endpoint;
        this.source = source;
    }

    public void datagram(UnsafeBuffer datagram, int length) {
        endpoint.onDatagram(datagram, length, source);
    }
}
