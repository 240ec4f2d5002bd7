// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.rdma.common.ChannelOptions;
import io.verbus.rdma.common.Goodbye;
import io.verbus.rdma.common.HostAdmission;
import io.verbus.rdma.common.LogRegistrations;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;

/** The remote endpoints of publications. Used by the conductor's thread. */
final class OutboundEndpoints implements AutoCloseable {
    private final TransportHost host;
    private final Fabric fabric;
    private final RdmaOptions options;
    private final LogRegistrations registrations;
    private final Queue<SenderCommand> commands;
    private final Queue<SenderEvent> events;
    private final HostAdmission hostAdmission;
    private final RdmaPeerErrors complaints;
    private final List<OutboundEndpoint> all = new ArrayList<>();

    OutboundEndpoints(
            TransportHost host,
            Fabric fabric,
            RdmaOptions options,
            LogRegistrations registrations,
            Queue<SenderCommand> commands,
            Queue<SenderEvent> events,
            HostAdmission hostAdmission,
            RdmaPeerErrors complaints) {
        this.host = host;
        this.fabric = fabric;
        this.options = options;
        this.registrations = registrations;
        this.commands = commands;
        this.events = events;
        this.hostAdmission = hostAdmission;
        this.complaints = complaints;
    }

    int count() {
        return all.size();
    }

    OutboundEndpoint get(int index) {
        return all.get(index);
    }

    /**
     * Returns the endpoint of a channel, creating it if needed.
     *
     * @throws TransportException if the existing connection has different options, or there are too
     *     many endpoints.
     */
    OutboundEndpoint of(ChannelUri channel, long nowNs) {
        Endpoint address = channel.endpoint();
        String source = channel.sourceHost();
        String localHost = source == null ? options.localHost() : source;
        for (OutboundEndpoint endpoint : all) {
            if (endpoint.is(address, localHost)) {
                endpoint.requireFits(channel);
                return endpoint;
            }
        }
        if (all.size() >= options.maxConnections()) {
            throw new TransportException(
                    "the connection to "
                            + address
                            + " exceeds the limit: raise rdma.max-connections above "
                            + options.maxConnections());
        }
        OutboundEndpoint added =
                new OutboundEndpoint(
                        address,
                        localHost,
                        host,
                        fabric,
                        options,
                        ChannelOptions.of(options.connection(), channel),
                        registrations,
                        commands,
                        events,
                        hostAdmission,
                        complaints,
                        nowNs);
        all.add(added);
        return added;
    }

    /** Returns the endpoint of a connection; null if this side did not initiate the connection. */
    OutboundEndpoint of(Connection connection) {
        for (OutboundEndpoint endpoint : all) {
            if (endpoint.uses(connection)) {
                return endpoint;
            }
        }
        return null;
    }

    /** Returns the endpoint of a link, or null. */
    OutboundEndpoint of(OutboundLink link) {
        for (OutboundEndpoint endpoint : all) {
            if (endpoint.uses(link)) {
                return endpoint;
            }
        }
        return null;
    }

    /** Closes an unused endpoint. */
    void remove(int index) {
        all.remove(index).close();
    }

    @Override
    public void close() {
        Goodbye.say(
                all.stream()
                        .map(endpoint -> endpoint.streams().link())
                        .filter(Objects::nonNull)
                        .toList());
        all.forEach(OutboundEndpoint::close);
        all.clear();
    }
}
