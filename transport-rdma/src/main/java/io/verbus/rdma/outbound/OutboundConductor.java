// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.rdma.common.HostAdmission;
import io.verbus.rdma.common.LogRegistrations;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.common.SystemCounters;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.OutboundTransport;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * The conductor's part of the publishing side: assigns publications to endpoints. Used by the
 * conductor's thread.
 */
public final class OutboundConductor implements OutboundTransport, AutoCloseable {
    private static final int EVENTS_PER_CYCLE = 32;

    private final TransportHost host;
    private final LogRegistrations registrations;
    private final Queue<SenderCommand> commands;
    private final Queue<SenderEvent> events;
    private final OutboundEndpoints endpoints;
    private final ControlEndpoints controls;
    private final Map<OutboundStream, Sent> sent = new IdentityHashMap<>();
    private final FanOutPublications fanOuts;
    private final RdmaPeerErrors complaints;
    private final ArrayDeque<OutboundStream> released = new ArrayDeque<>();
    private long nowNs;

    private record Sent(OutboundPublication publication, OutboundEndpoint endpoint) {}

    /**
     * @param host the driver.
     * @param fabric fabric to connect through.
     * @param options options of the transport.
     * @param registrations registrations of all logs.
     * @param agent the sender's part.
     * @param counters counters of the transport.
     * @param hostAdmission admission rules for hosts.
     * @param complaints records of errors that peers cause.
     * @param nowNs monotonic time.
     */
    public OutboundConductor(
            TransportHost host,
            Fabric fabric,
            RdmaOptions options,
            LogRegistrations registrations,
            SenderAgent agent,
            SystemCounters counters,
            HostAdmission hostAdmission,
            RdmaPeerErrors complaints,
            long nowNs) {
        this.host = host;
        this.registrations = registrations;
        this.commands = agent.commands();
        this.events = agent.events();
        this.complaints = complaints;
        this.fanOuts = new FanOutPublications(host, events);
        this.nowNs = nowNs;
        endpoints =
                new OutboundEndpoints(
                        host,
                        fabric,
                        options,
                        registrations,
                        commands,
                        events,
                        hostAdmission,
                        complaints);
        controls =
                new ControlEndpoints(
                        host,
                        fabric,
                        options,
                        counters,
                        hostAdmission,
                        complaints,
                        new Receivers());
    }

    /** Adds, as destinations, the receivers that have announced themselves. */
    private final class Receivers implements ControlEndpoints.Receivers {
        @Override
        public OutboundPublication add(
                OutboundStream stream, ChannelUri destination, long controlId) {
            return addDestination(stream, destination, controlId);
        }

        @Override
        public void remove(OutboundPublication receiver) {
            OutboundConductor.this.remove(receiver);
        }
    }

    @Override
    public CompletableFuture<Void> addPublication(OutboundStream stream) {
        ChannelUri channel = stream.channel();
        if (channel.control() != null && !channel.isManual() && !channel.hasEndpoint()) {
            return controls.open(channel, listener -> addAt(listener, stream));
        } else if (channel.isManual()) {
            fanOuts.add(stream);
        } else if (channel.spiesConnect()) {
            // The stream advances without a receiver, as a fan-out does.
            fanOuts.add(stream);
            try {
                addDestination(stream, channel);
            } catch (BusException e) {
                fanOuts.forget(stream);
                throw e;
            }
        } else {
            start(new OutboundPublication(stream));
        }
        return CompletableFuture.completedFuture(null);
    }

    private void addAt(Listener listener, OutboundStream stream) {
        fanOuts.add(stream);
        try {
            controls.add(stream, listener, nowNs);
        } catch (BusException e) {
            fanOuts.forget(stream);
            throw e;
        }
    }

    @Override
    public void addDestination(OutboundStream stream, ChannelUri destination) {
        addDestination(stream, destination, 0);
    }

    private OutboundPublication addDestination(
            OutboundStream stream, ChannelUri destination, long controlId) {
        OutboundPublication part = fanOuts.addPart(stream, destination, controlId);
        try {
            start(part);
            return part;
        } catch (BusException e) {
            fanOuts.removePart(part);
            throw e;
        }
    }

    private void start(OutboundPublication publication) {
        ChannelUri channel = publication.stream.channel();
        OutboundEndpoint endpoint = endpoints.of(channel, nowNs);
        endpoint.streams().add(publication);
        sent.put(publication.stream, new Sent(publication, endpoint));
    }

    @Override
    public void removeDestination(OutboundStream stream, ChannelUri destination) {
        remove(fanOuts.get(stream).part(destination));
    }

    private void remove(OutboundPublication part) {
        part.remove();
        if (part.transfer() == null) {
            part.forget();
        }
        commands.add(new SenderCommand.Drop(part.branch));
        end(part);
    }

    @Override
    public String localAddress(OutboundStream stream) {
        Sent entry = sent.get(stream);
        return entry == null ? controls.localAddress(stream) : entry.endpoint.localAddress();
    }

    /**
     * Ensures that the responses of a session are sent only to the driver that sent the requests.
     *
     * @param sessionId session id of a response publication.
     * @param driverId id of the requester.
     */
    public void answer(int sessionId, long driverId) {
        controls.answer(sessionId, driverId);
    }

    /**
     * Answers a connection request from a peer if it arrived at a control address.
     *
     * @return whether it arrived at a control address.
     */
    public boolean onConnectRequest(
            Listener listener,
            Connection connection,
            InetSocketAddress remoteAddress,
            byte[] privateData) {
        return controls.onConnectRequest(listener, connection, remoteAddress, privateData, nowNs);
    }

    @Override
    public void closePublication(OutboundStream stream) {
        FanOutPublications.FanOutPublication publication = fanOuts.get(stream);
        if (publication == null) {
            Sent entry = sent.get(stream);
            if (entry != null) {
                end(entry.publication);
            }
            return;
        }
        controls.end(stream);
        if (fanOuts.close(publication)) {
            release(stream);
        } else {
            publication.parts().forEach(this::end);
        }
    }

    private void end(OutboundPublication publication) {
        Sent entry = sent.get(publication.stream);
        if (entry != null && entry.endpoint.streams().end(publication)) {
            free(entry);
        }
    }

    /** Runs the duty cycle; returns the work count. */
    public int work(long now) {
        nowNs = now;
        int work = 0;
        SenderEvent event;
        while (work < EVENTS_PER_CYCLE && (event = events.poll()) != null) {
            on(event);
            work++;
        }
        work += controls.work(nowNs);
        for (int i = endpoints.count() - 1; i >= 0; i--) {
            OutboundEndpoint endpoint = endpoints.get(i);
            int done = endpoint.work(now);
            if (done > 0) {
                freeClosed(endpoint);
            }
            work += done;
            if (endpoint.isOver()) {
                endpoints.remove(i);
            }
        }
        for (int i = 0; i < EVENTS_PER_CYCLE && !released.isEmpty(); i++) {
            host.onPublicationReleased(released.poll());
            work++;
        }
        return work;
    }

    /** Called when a connection that this side initiated is established. */
    public void onEstablished(Connection connection, byte[] privateData) {
        OutboundEndpoint endpoint = endpoints.of(connection);
        if (endpoint != null) {
            endpoint.onEstablished(privateData);
            freeClosed(endpoint);
        }
    }

    /** Returns the channel of a publication whose receivers connect to a listener, or null. */
    public ChannelUri channel(Listener listener) {
        return controls.channel(listener);
    }

    /** Called when a connection that this side initiated has ended. */
    public void onEnded(Connection connection, Cause cause, String reason, byte[] privateData) {
        OutboundEndpoint endpoint = endpoints.of(connection);
        if (endpoint != null) {
            endpoint.onEnded(cause, reason, privateData);
        }
    }

    private void on(SenderEvent event) {
        switch (event) {
            case SenderEvent.Released gone -> {
                OutboundEndpoint endpoint = endpoints.of(gone.link());
                if (endpoint != null) {
                    endpoint.onReleased(gone.reason(), gone.end());
                }
            }
            case SenderEvent.OfStream told -> {
                Sent entry = sent.get(told.transfer().stream());
                if (entry != null && entry.publication.transfer() == told.transfer()) {
                    on(told, entry, entry.publication, entry.endpoint);
                }
            }
            case SenderEvent.Forgotten forgotten -> {
                OutboundEndpoint endpoint = endpoints.of(forgotten.link());
                if (endpoint != null) {
                    endpoint.streams().giveBack(forgotten.transfer().creditSlot());
                    Sent entry = sent.get(forgotten.transfer().stream());
                    if (entry != null && entry.publication.isLeaving()) {
                        endpoint.streams().sendAgain(entry.publication);
                    }
                }
            }
            case SenderEvent.Unused unused -> onUnused(unused.publication());
            case SenderEvent.Left left ->
                    host.onError(
                            left.branch().channel(),
                            new TransportException(
                                    "destination "
                                            + left.branch().channel().endpoint()
                                            + " of stream "
                                            + left.branch().log().spec().streamId()
                                            + " session "
                                            + left.branch().log().spec().sessionId()
                                            + " fell too far behind the other destinations "
                                            + "and was dropped: the destination's image ends and "
                                            + "restarts at the current position; make its "
                                            + "subscribers consume faster, or publish "
                                            + "with fc=min"));
        }
    }

    private void on(
            SenderEvent.OfStream event,
            Sent entry,
            OutboundPublication publication,
            OutboundEndpoint endpoint) {
        switch (event) {
            case SenderEvent.Accepted accepted ->
                    endpoint.onAccepted(publication, accepted.isResumed());
            case SenderEvent.NotResumed lost -> {
                publication.onNotResumed();
                complaints.record(
                        RdmaPeerErrors.Kind.CUT_OFF,
                        endpoint.name(),
                        publication.channel(),
                        "the driver at "
                                + endpoint.name()
                                + " has ended the image of an interrupted stream: messages that the"
                                + " driver had not received are lost, and the stream restarts");
                publication.tell(
                        host,
                        false,
                        "the driver at "
                                + endpoint.name()
                                + " has ended the image of stream "
                                + publication.stream.log().spec().streamId()
                                + " session "
                                + publication.stream.log().spec().sessionId()
                                + " after an interruption: messages before position "
                                + lost.position()
                                + " that the driver had not received are lost, and the stream"
                                + " restarts there");
            }
            case SenderEvent.Deferred deferred ->
                    host.onPublicationWaits(
                            publication.publication(),
                            NoSubscription.of(
                                    publication.stream.log().spec(),
                                    endpoint.name(),
                                    deferred.streams()));
            case SenderEvent.Refused refused -> {
                String message =
                        "the driver at "
                                + endpoint.name()
                                + " rejected the stream ("
                                + refused.code()
                                + "): "
                                + refused.text();
                complaints.record(
                        RdmaPeerErrors.Kind.STREAM_REFUSED,
                        endpoint.name(),
                        publication.channel(),
                        message);
                publication.tell(host, true, message);
            }
            case SenderEvent.ImageRejected rejected ->
                    host.onImageRejected(
                            publication.publication(), endpoint.rejection(rejected.reason()));
            case SenderEvent.ResponseSession told ->
                    host.onResponseSession(publication.publication(), told.sessionId());
            case SenderEvent.Broken broken -> {
                String message =
                        "the publication log "
                                + publication.stream.log().file()
                                + " is damaged: "
                                + broken.defect().getMessage()
                                + "; close the publication and add it again";
                publication.breakOff();
                host.onError(publication.channel(), new TransportException(message));
                publication.tell(host, false, message);
            }
            case SenderEvent.Finished finished -> onFinished(entry);
        }
    }

    private void onFinished(Sent entry) {
        OutboundPublication publication = entry.publication;
        publication.end();
        if (publication.isClosing()) {
            publication.closeLog();
            free(entry);
        } else if (publication.isBroken()) {
            publication.closeLog();
        } else {
            publication.onLeft();
        }
    }

    private void freeClosed(OutboundEndpoint endpoint) {
        OutboundPublication publication;
        while ((publication = endpoint.streams().nextClosed()) != null) {
            free(new Sent(publication, endpoint));
        }
    }

    /**
     * Frees a publication. The sender may still have commands about it, which use its counters and
     * its stream.
     */
    private void free(Sent entry) {
        entry.endpoint.remove(entry.publication);
        sent.remove(entry.publication.stream);
        commands.add(new SenderCommand.Free(entry.publication));
    }

    private void onUnused(OutboundPublication publication) {
        if (publication.branch == null || fanOuts.removePart(publication)) {
            release(publication.publication());
        }
    }

    /**
     * Lets the driver unmap a publication's log, once the log is no longer registered. The driver
     * is notified in the duty cycle, never during a call that it makes.
     */
    private void release(OutboundStream stream) {
        registrations.whenUnused(stream.log(), () -> released.add(stream));
    }

    @Override
    public void close() {
        controls.close();
        endpoints.close();
        fanOuts.close();
    }
}
