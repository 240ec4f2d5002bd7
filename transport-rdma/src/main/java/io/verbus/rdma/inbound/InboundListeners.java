// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.channel.ChannelUri;
import io.verbus.rdma.common.ChannelOptions;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** The local addresses at which peers may connect now. Conductor's thread. */
final class InboundListeners {
    private final TransportHost host;
    private final Fabric fabric;
    private final ConnectionOptions preset;
    private final List<InboundListener> all = new ArrayList<>();

    /**
     * @param host the driver.
     * @param fabric to listen with.
     * @param preset of connections, where a channel asks for nothing else.
     */
    InboundListeners(TransportHost host, Fabric fabric, ConnectionOptions preset) {
        this.host = host;
        this.fabric = fabric;
        this.preset = preset;
    }

    /**
     * Opens or joins the endpoint of a channel.
     *
     * @throws TransportException if it cannot be listened at, or not as the channel asks.
     */
    InboundListener open(ChannelUri channel) {
        InetSocketAddress address =
                host.address(channel.endpoint().host(), channel.endpoint().port());
        if (address.isUnresolved()) {
            throw new TransportException(
                    "host name '"
                            + channel.endpoint().host()
                            + "' cannot be resolved: name an address of this host's RDMA device");
        }
        for (InboundListener listener : all) {
            if (listener.isAt(address)) {
                listener.join(channel);
                return listener;
            }
        }
        try {
            ConnectionOptions asked = ChannelOptions.of(preset, channel);
            InboundListener listener =
                    new InboundListener(address, fabric.listen(address, asked), asked, channel);
            all.add(listener);
            return listener;
        } catch (FabricException e) {
            throw new TransportException(e.getMessage(), e);
        }
    }

    /** Leaves an endpoint; the last to leave closes it. */
    void leave(InboundListener listener, long nowNs) {
        if (listener.leave()) {
            listener.close(nowNs);
            all.remove(listener);
        }
    }

    /** The endpoint of the fabric's listener; null if it was closed. */
    InboundListener get(Listener listener) {
        for (InboundListener each : all) {
            if (each.uses(listener)) {
                return each;
            }
        }
        return null;
    }

    /** The endpoint, which is one of this transport's. */
    static InboundListener of(InboundEndpoint endpoint) {
        if (endpoint instanceof InboundListener listener) {
            return listener;
        }
        throw new IllegalArgumentException("endpoint " + endpoint + " is of another transport");
    }

    /** The transport closes. */
    void close(long nowNs) {
        for (InboundListener listener : all) {
            listener.close(nowNs);
        }
        all.clear();
    }
}
