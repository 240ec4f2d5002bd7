// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.channel.ChannelUri;
import io.verbus.rdma.common.ChannelOptions;
import io.verbus.rdma.common.HostAdmission;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** The open local addresses to which peers may connect. Used by the conductor's thread. */
final class InboundListeners {
    private final TransportHost host;
    private final Fabric fabric;
    private final ConnectionOptions preset;
    private final HostAdmission hostAdmission;
    private final List<InboundListener> all = new ArrayList<>();

    /**
     * @param host the driver.
     * @param fabric fabric to listen with.
     * @param preset default options of connections.
     * @param hostAdmission admission rules for hosts.
     */
    InboundListeners(
            TransportHost host,
            Fabric fabric,
            ConnectionOptions preset,
            HostAdmission hostAdmission) {
        this.hostAdmission = hostAdmission;
        this.host = host;
        this.fabric = fabric;
        this.preset = preset;
    }

    /**
     * Joins the endpoint of a channel with the same names, even if they resolve differently by now,
     * or the endpoint at the same address; otherwise opens a new endpoint.
     *
     * @throws TransportException if it cannot listen there, or the channel requires different
     *     settings.
     */
    InboundListener open(ChannelUri channel) {
        for (InboundListener listener : all) {
            if (!listener.isDestination() && listener.isNamed(channel)) {
                listener.join(channel);
                return listener;
            }
        }
        InetSocketAddress address = address(channel);
        for (InboundListener listener : all) {
            boolean isThere =
                    channel.hasEndpoint()
                            ? listener.isAt(address)
                            : listener.isOfResponses(channel.control(), address.getAddress());
            if (isThere && !listener.isDestination()) {
                listener.join(channel);
                return listener;
            }
        }
        return listen(channel, address, false);
    }

    /**
     * Opens the unshared endpoint of one destination.
     *
     * @throws TransportException if it cannot listen there.
     */
    InboundListener openDestination(ChannelUri channel) {
        return listen(channel, address(channel), true);
    }

    private InboundListener listen(
            ChannelUri channel, InetSocketAddress address, boolean isDestination) {
        try {
            ConnectionOptions asked = ChannelOptions.of(preset, channel);
            InboundListener listener =
                    new InboundListener(
                            address, fabric.listen(address, asked), asked, channel, isDestination);
            all.add(listener);
            listener.opened().whenComplete((none, failure) -> onOpened(listener, failure));
            return listener;
        } catch (FabricException e) {
            throw new TransportException(e.getMessage(), e);
        }
    }

    /**
     * Handles the result of opening an endpoint. An endpoint that could not be opened is dropped,
     * so later channels try again instead of joining it.
     */
    private void onOpened(InboundListener listener, Throwable failure) {
        if (failure != null) {
            all.remove(listener);
            return;
        }
        String closed = hostAdmission.closed(listener.localAddress());
        if (closed != null) {
            host.onError(listener.channel(), new TransportException(closed));
        }
    }

    /**
     * Returns the channel's address; for responses without an endpoint the system chooses the port.
     */
    private InetSocketAddress address(ChannelUri channel) {
        if (channel.hasEndpoint()) {
            return found(channel.endpoint().host(), channel.endpoint().port());
        }
        if (channel.interfaceAddress() != null) {
            return found(channel.interfaceAddress(), 0);
        }
        InetSocketAddress control = found(channel.control().host(), channel.control().port());
        boolean isIpv6 = control.getAddress() instanceof Inet6Address;
        return new InetSocketAddress(isIpv6 ? "::" : "0.0.0.0", 0);
    }

    private InetSocketAddress found(String name, int port) {
        InetSocketAddress address = host.address(name, port);
        if (address.isUnresolved()) {
            throw new TransportException(
                    "host name '"
                            + name
                            + "' cannot be resolved: use an address of this host's RDMA device");
        }
        return address;
    }

    /**
     * Removes a subscription from an endpoint, which may still be opening. Removing the last
     * subscription closes the endpoint. Returns whether the endpoint is closed.
     */
    boolean leave(InboundListener listener, long nowNs) {
        if (!listener.leave()) {
            return false;
        }
        listener.close(nowNs);
        all.remove(listener);
        return true;
    }

    /** Returns the endpoint of the fabric's listener; null if it was closed. */
    InboundListener get(Listener listener) {
        for (InboundListener each : all) {
            if (each.uses(listener)) {
                return each;
            }
        }
        return null;
    }

    /** Returns the endpoint as a listener of this transport. */
    static InboundListener of(InboundEndpoint endpoint) {
        if (endpoint instanceof InboundListener listener) {
            return listener;
        }
        throw new IllegalArgumentException(
                "endpoint " + endpoint + " belongs to another transport");
    }

    /** Closes all listeners. */
    void close(long nowNs) {
        for (InboundListener listener : all) {
            listener.close(nowNs);
        }
        all.clear();
    }
}
