// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.TransportCounter;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.HostAdmission;
import io.verbus.rdma.common.LogRegistrations;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.common.SystemCounters;
import io.verbus.rdma.common.WriteOrder;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.inbound.InboundConductor;
import io.verbus.rdma.inbound.ReceiverAgent;
import io.verbus.rdma.outbound.OutboundConductor;
import io.verbus.rdma.outbound.SenderAgent;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.OutboundTransport;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;

/**
 * Replicates logs over an RDMA fabric. The publishing and the subscribing side each have a part for
 * the conductor, and a part for the one agent that uses their queue pairs.
 */
public final class RdmaTransport implements Transport, FabricHandler {
    private final TransportHost host;
    private final Fabric fabric;
    private final RdmaOptions options;
    private final LogRegistrations registrations;
    private final SenderAgent sender = new SenderAgent();
    private final ReceiverAgent receiver = new ReceiverAgent();
    private final AtomicCounter lostListeners;
    private final OutboundConductor outbound;
    private final InboundConductor inbound;
    private final PathWarnings paths;
    private final SystemCounters counters;
    private final HostAdmission hostAdmission;

    /**
     * @param host the driver.
     * @param fabric fabric to use; closed with the transport, and if the constructor fails.
     * @param options options of the transport.
     * @param nowNs monotonic time, from the clock of the duty cycles.
     */
    public RdmaTransport(TransportHost host, Fabric fabric, RdmaOptions options, long nowNs) {
        this.host = host;
        this.fabric = fabric;
        this.options = options;
        counters = new SystemCounters(host);
        registrations = new LogRegistrations(host);
        try {
            paths = new PathWarnings(host, counters, options.linkLayer());
            RdmaPeerErrors complaints = new RdmaPeerErrors(host, counters);
            hostAdmission = new HostAdmission(host, fabric, counters, complaints);
            lostListeners = counters.counter(TransportCounter.RDMA_LISTENERS_LOST);
            outbound =
                    new OutboundConductor(
                            host,
                            fabric,
                            options,
                            registrations,
                            sender,
                            counters,
                            hostAdmission,
                            complaints,
                            nowNs);
            inbound =
                    new InboundConductor(
                            host,
                            fabric,
                            options,
                            registrations,
                            receiver,
                            counters,
                            hostAdmission,
                            outbound::answer,
                            complaints,
                            nowNs);
        } catch (RuntimeException e) {
            counters.close();
            fabric.close();
            throw e;
        }
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
        hostAdmission.work(nowNs);
        int work = outbound.work(nowNs) + inbound.work(nowNs);
        return work + fabric.poll(this, nowNs);
    }

    @Override
    public int send(long nowNs) {
        return sender.work(nowNs);
    }

    @Override
    public int receive(long nowNs) {
        return receiver.work(nowNs);
    }

    @Override
    public void onConnectRequest(
            Listener listener,
            Connection connection,
            InetSocketAddress remoteAddress,
            byte[] privateData) {
        if (!outbound.onConnectRequest(listener, connection, remoteAddress, privateData)) {
            inbound.onConnectRequest(listener, connection, remoteAddress, privateData);
        }
    }

    @Override
    public void onListenerLost(Listener listener, String reason) {
        lostListeners.incrementRelease();
        tell(
                listener,
                new TransportException(
                        "stopped listening at "
                                + listener.localAddress()
                                + ", because "
                                + reason
                                + ": drivers cannot connect there until the device is restored"));
    }

    @Override
    public void onListenerBack(Listener listener) {
        lostListeners.getAndAddRelease(-1);
        tell(
                listener,
                new TransportException(
                        "drivers can connect at " + listener.localAddress() + " again"));
    }

    @Override
    public void onLostListenerClosed() {
        lostListeners.getAndAddRelease(-1);
    }

    /** Reports an error with the channel of the listener. */
    private void tell(Listener listener, TransportException error) {
        ChannelUri subscribed = inbound.channel(listener);
        ChannelUri channel = subscribed == null ? outbound.channel(listener) : subscribed;
        if (channel == null) {
            host.onError(error);
        } else {
            host.onError(channel, error);
        }
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
        paths.look(connection.path(), confirms(connection, privateData));
        if (!inbound.onEstablished(connection)) {
            outbound.onEstablished(connection, privateData);
        }
    }

    private boolean confirms(Connection connection, byte[] privateData) {
        Hello hello = Hello.read(privateData);
        return options.order() == WriteOrder.SAFE
                || hello != null && hello.confirms()
                || inbound.confirms(connection);
    }

    @Override
    public void onEnded(Connection connection, Cause cause, String reason, byte[] privateData) {
        if (!inbound.onEnded(connection, cause, reason, privateData)) {
            outbound.onEnded(connection, cause, reason, privateData);
        }
    }

    @Override
    public void close() {
        registrations.onClosing();
        outbound.close();
        inbound.close();
        fabric.cutOff(); // an adapter must not access a log that is deregistered or unmapped
        registrations.close();
        counters.close();
        fabric.close();
    }
}
