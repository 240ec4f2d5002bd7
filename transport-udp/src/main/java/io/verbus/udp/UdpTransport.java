// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import io.verbus.cnc.TransportCounter;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.OutboundTransport;
import io.verbus.transport.PeerErrorLog;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportHost;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.inbound.InboundConductor;
import io.verbus.udp.outbound.OutboundConductor;

/**
 * Carries logs in UDP datagrams. The publishing and the subscribing side each have a part for the
 * conductor, and a part for the one agent that uses their sockets.
 */
final class UdpTransport implements Transport {
    private final OutboundConductor outbound;
    private final InboundConductor inbound;
    private final PeerErrorLog peerErrors;

    UdpTransport(TransportHost host, UdpOptions options, long nowNs) {
        peerErrors =
                new PeerErrorLog(host::onError, host.counter(TransportCounter.UDP_PEER_ERRORS));
        outbound = new OutboundConductor(host, options, peerErrors, nowNs);
        inbound = new InboundConductor(host, options, peerErrors, nowNs);
    }

    @Override
    public OutboundTransport outbound() {
        return outbound;
    }

    @Override
    public InboundTransport inbound() {
        return inbound;
    }

    @Override
    public int conduct(long nowNs) {
        return outbound.work(nowNs) + inbound.work(nowNs);
    }

    @Override
    public int send(long nowNs) {
        return outbound.agent().work(nowNs);
    }

    @Override
    public int receive(long nowNs) {
        return inbound.agent().work(nowNs);
    }

    @Override
    public void close() {
        outbound.close();
        inbound.close();
        peerErrors.close();
    }
}
