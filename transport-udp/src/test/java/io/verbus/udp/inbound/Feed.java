// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.inbound;

import io.verbus.transport.InboundEndpoint;
import io.verbus.udp.socket.SocketAddress;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.function.LongSupplier;

/** Passes datagrams to an endpoint as if its socket had received them. */
public final class Feed {
    private final UdpEndpoint endpoint;
    private final SocketAddress source;
    private final LongSupplier clock;

    public Feed(InboundEndpoint endpoint, SocketAddress source, LongSupplier clock) {
        this.endpoint = (UdpEndpoint) endpoint;
        this.source = source;
        this.clock = clock;
    }

    public void datagram(UnsafeBuffer datagram, int length) {
        endpoint.receiver().dispatcher.onDatagram(datagram, length, source, 0, clock.getAsLong());
    }
}
