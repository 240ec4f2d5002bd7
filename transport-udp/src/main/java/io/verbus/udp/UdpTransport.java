// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.TransportCounter;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.PeerErrorLog;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportHost;
import io.verbus.udp.common.UdpOptions;
import io.verbus.udp.inbound.InboundConductor;
import io.verbus.udp.outbound.OutboundConductor;

import java.util.concurrent.CompletableFuture;

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
    public CompletableFuture<Void> addPublication(OutboundStream stream) {
        outbound.add(stream);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void closePublication(OutboundStream stream) {
        outbound.end(stream);
    }

    @Override
    public void addDestination(OutboundStream stream, ChannelUri destination) {
        outbound.addDestination(stream, destination);
    }

    @Override
    public void removeDestination(OutboundStream stream, ChannelUri destination) {
        outbound.removeDestination(stream, destination);
    }

    @Override
    public String localAddress(OutboundStream stream) {
        return outbound.localAddress(stream);
    }

    @Override
    public InboundEndpoint openEndpoint(ChannelUri channel) {
        return inbound.open(channel);
    }

    @Override
    public InboundEndpoint openDestination(ChannelUri channel) {
        return inbound.openDestination(channel);
    }

    @Override
    public void joinEndpoint(InboundEndpoint endpoint, ChannelUri channel) {
        inbound.join(endpoint, channel);
    }

    @Override
    public void closeEndpoint(InboundEndpoint endpoint) {
        inbound.leave(endpoint);
    }

    @Override
    public void onSubscriptionAdded(InboundEndpoint endpoint, int streamId) {
        inbound.onSubscriptionAdded(endpoint, streamId);
    }

    @Override
    public void awaitResponses(InboundEndpoint endpoint, int streamId, int sessionId) {
        inbound.awaitResponses(endpoint, streamId, sessionId);
    }

    @Override
    public void forgetResponses(InboundEndpoint endpoint, int streamId, int sessionId) {
        inbound.forgetResponses(endpoint, streamId, sessionId);
    }

    @Override
    public void tellResponseSession(InboundImage image, Integer sessionId) {
        inbound.tellResponseSession(image, sessionId);
    }

    /** Closes the image. The reason stays local, because the protocol cannot express it. */
    @Override
    public void closeImage(InboundImage image, String reason) {
        inbound.closeImage(image);
    }

    @Override
    public void stopImage(InboundImage image) {
        inbound.stopImage(image);
    }

    @Override
    public void rejectImage(InboundImage image, String reason) {
        inbound.rejectImage(image, reason);
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
