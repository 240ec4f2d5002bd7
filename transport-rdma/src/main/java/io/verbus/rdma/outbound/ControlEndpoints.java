// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.channel.DerivedChannels;
import io.verbus.channel.Endpoint;
import io.verbus.cnc.TransportCounter;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.common.Announcement;
import io.verbus.rdma.common.ChannelOptions;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.HostAdmission;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.common.RdmaPeerErrors.Kind;
import io.verbus.rdma.common.SystemCounters;
import io.verbus.rdma.common.Versions;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * ControlAddress addresses of publications, at which receivers announce themselves. While a
 * receiver is connected, or may return, it is a destination of all publications at the address or,
 * if one of them responds to the receiver's requests, of that publication only. Used by the
 * conductor's thread.
 */
final class ControlEndpoints implements AutoCloseable {
    private static final long LOOK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final TransportHost host;
    private final Fabric fabric;
    private final RdmaOptions options;
    private final HostAdmission hostAdmission;
    private final RdmaPeerErrors complaints;
    private final Receivers receivers;
    private final AtomicCounter announced;
    private final List<ControlAddress> controls = new ArrayList<>();
    private long lookAtNs;

    /** Sends publications to receivers. */
    interface Receivers {
        /**
         * Starts sending a publication to another receiver.
         *
         * @throws BusException if the publication cannot be sent there.
         */
        OutboundPublication add(OutboundStream stream, ChannelUri destination, long controlId);

        /** Stops sending to a receiver. */
        void remove(OutboundPublication receiver);
    }

    /**
     * @param host the driver.
     * @param fabric fabric to listen with.
     * @param options options of the transport.
     * @param counters counters of the transport.
     * @param hostAdmission admission rules for hosts.
     * @param complaints records of errors that peers cause.
     * @param receivers part that starts and stops sending publications to receivers.
     */
    ControlEndpoints(
            TransportHost host,
            Fabric fabric,
            RdmaOptions options,
            SystemCounters counters,
            HostAdmission hostAdmission,
            RdmaPeerErrors complaints,
            Receivers receivers) {
        this.host = host;
        this.fabric = fabric;
        this.options = options;
        this.hostAdmission = hostAdmission;
        this.complaints = complaints;
        this.receivers = receivers;
        announced = counters.counter(TransportCounter.RDMA_ANNOUNCED);
    }

    /**
     * Opens the control address of a channel, or joins it if it exists.
     *
     * @param then callback invoked once the address is open, during this call or in a later poll of
     *     the fabric.
     * @return a future for the result, which also reports an exception thrown by {@code then}.
     * @throws TransportException if the driver cannot listen at the address.
     */
    CompletableFuture<Void> open(ChannelUri channel, Consumer<Listener> then) {
        ControlAddress control = control(channel);
        CompletableFuture<Void> result = new CompletableFuture<>();
        control.awaited++;
        control.listener
                .opened()
                .whenComplete(
                        (none, failure) -> {
                            control.awaited--;
                            if (failure == null) {
                                complete(control, then, result);
                            } else {
                                controls.remove(control);
                                result.completeExceptionally(
                                        new TransportException(failure.getMessage(), failure));
                            }
                        });
        return result;
    }

    private void complete(
            ControlAddress control, Consumer<Listener> then, CompletableFuture<Void> result) {
        try {
            then.accept(control.listener);
            result.complete(null);
        } catch (RuntimeException e) {
            closeIfUnused(control);
            result.completeExceptionally(
                    e instanceof BusException ? e : new TransportException(e.toString(), e));
        }
    }

    /** Adds a publication at an open control address. */
    void add(OutboundStream stream, Listener listener, long nowNs) {
        ControlAddress control = at(listener);
        ControlAddress.Published added = new ControlAddress.Published(stream);
        if (!added.responds()) {
            for (ControlAddress.Published other : control.published) {
                if (!other.responds()) {
                    other.receivers.forEach(
                            receiver -> sendTo(control, added, receiver.endpoint, nowNs));
                }
            }
        }
        control.published.add(added);
    }

    /**
     * Returns the existing control address if another channel named the same endpoint, even if the
     * name resolves differently by now, or resolved to the same address. Otherwise returns a new
     * control address.
     */
    private ControlAddress control(ChannelUri channel) {
        Endpoint named = channel.control();
        boolean isShared = named.port() != 0;
        for (ControlAddress control : controls) {
            if (isShared && control.names.contains(named)) {
                return control;
            }
        }
        InetSocketAddress address = host.address(named.host(), named.port());
        if (address.isUnresolved()) {
            throw new TransportException(
                    "host name '"
                            + named.host()
                            + "' cannot be resolved: use an address of this host's RDMA device");
        }
        for (ControlAddress control : controls) {
            if (isShared && control.address.equals(address)) {
                control.names.add(named);
                return control;
            }
        }
        try {
            Listener listener =
                    fabric.listen(address, ChannelOptions.of(options.connection(), channel));
            ControlAddress control = new ControlAddress(address, named, listener);
            controls.add(control);
            return control;
        } catch (FabricException e) {
            throw new TransportException(e.getMessage(), e);
        }
    }

    /** Ends a publication, which accepts no more receivers. */
    void end(OutboundStream stream) {
        for (ControlAddress control : controls) {
            if (control.published.removeIf(each -> each.stream == stream)) {
                closeIfUnused(control);
                return;
            }
        }
    }

    private void closeIfUnused(ControlAddress control) {
        if (control.published.isEmpty() && control.awaited == 0) {
            control.listener.close();
            controls.remove(control);
        }
    }

    /**
     * Ensures that the responses of a session are sent only to the driver that sent the requests.
     */
    void answer(int sessionId, long driverId) {
        for (ControlAddress control : controls) {
            for (ControlAddress.Published each : control.published) {
                if (each.responds() && each.stream.log().spec().sessionId() == sessionId) {
                    each.requesterId = driverId;
                }
            }
        }
    }

    /**
     * Returns the address at which receivers announce themselves to a publication; null if there is
     * none.
     */
    String localAddress(OutboundStream stream) {
        for (ControlAddress control : controls) {
            for (ControlAddress.Published each : control.published) {
                if (each.stream == stream) {
                    return control.description();
                }
            }
        }
        return null;
    }

    /**
     * Answers a connection request from a peer if it arrived at a control address.
     *
     * @return whether it arrived at a control address.
     */
    boolean onConnectRequest(
            Listener listener,
            Connection connection,
            InetSocketAddress remoteAddress,
            byte[] privateData,
            long nowNs) {
        ControlAddress control = at(listener);
        if (control == null) {
            return false;
        }
        Announcement announcement = Announcement.read(privateData);
        RejectCode code =
                answer(control, remoteAddress, connection.localAddress(), announcement, nowNs);
        hostAdmission.refuse(
                connection,
                announcement == null
                        ? Hello.of(host.driverId(), code)
                        : Announcement.Answer.of(code, control.id));
        return true;
    }

    /**
     * Returns the channel of the oldest publication at a listener; null if the listener does not
     * belong to a control address.
     */
    ChannelUri channel(Listener listener) {
        ControlAddress control = at(listener);
        return control == null || control.published.isEmpty()
                ? null
                : control.published.getFirst().stream.channel();
    }

    private ControlAddress at(Listener listener) {
        for (ControlAddress control : controls) {
            if (control.listener == listener) {
                return control;
            }
        }
        return null;
    }

    private RejectCode answer(
            ControlAddress control,
            InetSocketAddress remoteAddress,
            InetSocketAddress localAddress,
            Announcement announcement,
            long nowNs) {
        if (!hostAdmission.admits(remoteAddress, localAddress)) {
            return RejectCode.NOT_ALLOWED;
        }
        String name = HostAdmission.hostOf(remoteAddress);
        if (announcement == null || announcement.port() == 0) {
            complaints.record(
                    Kind.STRANGER,
                    name,
                    "the program that connects from "
                            + name
                            + " to the control address "
                            + control.description()
                            + " is not a receiver: publish to the endpoint of a subscription");
            return RejectCode.UNSPECIFIED;
        }
        if (announcement.versions().isStrangeTo(Versions.OURS)) {
            complaints.record(
                    Kind.OTHER_VERSION,
                    name,
                    announcement.versions().differ("a receiver at " + name));
            return RejectCode.VERSION_MISMATCH;
        }
        if (!hostAdmission
                .keys()
                .isProved(
                        remoteAddress,
                        announcement.key(),
                        announcement.covered(localAddress.getAddress()),
                        announcement.proof1(),
                        announcement.proof2())) {
            hostAdmission.onUnauthenticated(
                    remoteAddress,
                    localAddress,
                    "an announcement from "
                            + name
                            + " was refused, because its driver did not prove that it has its"
                            + " network's key: give that driver an rdma.key-file with this driver's"
                            + " key");
            return RejectCode.NOT_AUTHENTICATED;
        }
        announced.incrementRelease();
        String endpoint =
                Endpoint.text(
                        new InetSocketAddress(remoteAddress.getAddress(), announcement.port()));
        RejectCode code =
                announcement.isOfSession() ? RejectCode.NO_PUBLICATION : RejectCode.ANNOUNCED;
        for (ControlAddress.Published each : control.published) {
            if (each.isAskedFor(announcement)) {
                if (each.requesterId != 0 && each.requesterId != announcement.driverId()) {
                    return RejectCode.NOT_ALLOWED;
                }
                if (!sendTo(control, each, endpoint, nowNs)) {
                    return RejectCode.NO_RESOURCES;
                }
                code = RejectCode.ANNOUNCED;
            }
        }
        return code;
    }

    /**
     * Starts sending a publication to a receiver. Returns false if the publication cannot be sent
     * to it.
     */
    private boolean sendTo(
            ControlAddress control,
            ControlAddress.Published published,
            String endpoint,
            long nowNs) {
        ControlAddress.Receiver receiver = published.receiver(endpoint);
        if (receiver == null) {
            try {
                ChannelUri destination =
                        DerivedChannels.toReceiver(published.stream.channel(), endpoint);
                receiver =
                        new ControlAddress.Receiver(
                                endpoint, receivers.add(published.stream, destination, control.id));
            } catch (BusException e) {
                complaints.record(
                        Kind.NO_ROOM,
                        endpoint,
                        published.stream.channel(),
                        "cannot send to the receiver " + endpoint + ": " + e.getMessage());
                return false;
            }
            published.receivers.add(receiver);
        }
        receiver.lapsesAtNs = nowNs + lapseNs();
        return true;
    }

    /**
     * Returns how long a receiver may stay disconnected: the time to resume plus the time to
     * reconnect.
     */
    private long lapseNs() {
        return options.resumeTimeoutNs() + 2 * options.backoffMaxNs();
    }

    /** Removes disconnected receivers that have not returned in time. */
    int work(long nowNs) {
        if (nowNs - lookAtNs < 0) {
            return 0;
        }
        lookAtNs = nowNs + LOOK_INTERVAL_NS;
        int work = 0;
        for (int i = 0; i < controls.size(); i++) {
            List<ControlAddress.Published> published = controls.get(i).published;
            for (int j = 0; j < published.size(); j++) {
                work += letGo(published.get(j).receivers, nowNs);
            }
        }
        return work;
    }

    private int letGo(List<ControlAddress.Receiver> all, long nowNs) {
        int work = 0;
        for (int i = all.size() - 1; i >= 0; i--) {
            ControlAddress.Receiver receiver = all.get(i);
            if (receiver.part.transfer() != null) {
                receiver.lapsesAtNs = nowNs + lapseNs();
            } else if (nowNs - receiver.lapsesAtNs >= 0) {
                all.remove(i);
                receivers.remove(receiver.part);
                work++;
            }
        }
        return work;
    }

    @Override
    public void close() {
        controls.forEach(control -> control.listener.close());
        controls.clear();
    }
}
