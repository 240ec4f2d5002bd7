// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.cnc.ConnectionKey;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.auth.InitiatorHandshake;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.Backoff;
import io.verbus.rdma.common.ChannelOptions;
import io.verbus.rdma.common.ConnectionCounters;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.HostAdmission;
import io.verbus.rdma.common.LinkEnd;
import io.verbus.rdma.common.LogRegistrations;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.common.RdmaPeerErrors.Kind;
import io.verbus.rdma.common.WriteOrder;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.transport.PeerRejection;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import java.net.InetSocketAddress;
import java.util.OptionalLong;
import java.util.Queue;

/**
 * A remote endpoint and the single connection to it, kept while any publication is sent to the
 * endpoint. Used by the conductor's thread.
 *
 * <pre>
 *   WAITING ─backoff over─▶ CONNECTING ─established─▶ UP ─failure, or idle─▶ RELEASING
 *      ▲                         │                                              │ sender has released
 *      └─taken down──── ENDING ◀─┴──────────────────────────────────────────────┘
 * </pre>
 *
 * <p>A device or a peer may delay the calls that establish or close a connection. The next attempt
 * waits until these calls have returned.
 */
final class OutboundEndpoint implements AutoCloseable {
    private enum State {
        WAITING,
        CONNECTING,
        UP,
        RELEASING,
        ENDING
    }

    private final PeerAddress address;
    private final String name;
    private final TransportHost host;
    private final Fabric fabric;
    private final RdmaOptions options;
    private final ConnectionOptions connectionOptions;
    private final Queue<SenderEvent> events;
    private final HostAdmission hostAdmission;
    private final RdmaPeerErrors complaints;
    private final ConnectionCounters counters;
    private final Backoff backoff;
    private final EndpointStreams streams;
    private final long beganNs;

    private State state = State.WAITING;
    private Connection connection;
    private OutboundMemory memory;
    private InitiatorHandshake handshake;
    private long nowNs;
    private long deadlineNs;

    /**
     * Whether a connection was closed since the last check; closed publications may then be free.
     */
    private boolean isTakenDown;

    private long idleSinceNs;
    private String reported;

    /** Id of the peer's driver on the last established connection. */
    private long peerDriverId;

    /** Whether the connection closed cleanly. A refused reconnect is then not an error. */
    private boolean isParted;

    OutboundEndpoint(
            Endpoint address,
            String localHost,
            TransportHost host,
            Fabric fabric,
            RdmaOptions options,
            ConnectionOptions connectionOptions,
            LogRegistrations registrations,
            Queue<SenderCommand> commands,
            Queue<SenderEvent> events,
            HostAdmission hostAdmission,
            RdmaPeerErrors complaints,
            long nowNs) {
        this.address = new PeerAddress(address, localHost, host);
        this.name = this.address.toString();
        this.host = host;
        this.fabric = fabric;
        this.options = options;
        this.connectionOptions = connectionOptions;
        this.events = events;
        this.hostAdmission = hostAdmission;
        this.complaints = complaints;
        streams = new EndpointStreams(name, host, options, registrations, commands, nowNs);
        counters =
                new ConnectionCounters(
                        host, "rdma to " + name, ConnectionKey.ofConnection(address.toString()));
        backoff = new Backoff(options.backoffMinNs(), options.backoffMaxNs());
        this.nowNs = nowNs;
        beganNs = nowNs;
        deadlineNs = nowNs;
        idleSinceNs = nowNs;
    }

    boolean is(Endpoint otherAddress, String otherLocalHost) {
        return address.is(otherAddress, otherLocalHost);
    }

    /**
     * @throws TransportException if a channel requires different connection options.
     */
    void requireFits(ChannelUri channel) {
        ChannelOptions.requireShared(connectionOptions, channel, "the connection to " + name);
    }

    boolean uses(Connection other) {
        return connection == other && other != null;
    }

    boolean uses(OutboundLink other) {
        return streams.uses(other);
    }

    /** Returns the publications sent to the endpoint. */
    EndpointStreams streams() {
        return streams;
    }

    /** Removes a freed publication. */
    void remove(OutboundPublication publication) {
        streams.remove(publication);
        idleSinceNs = nowNs;
    }

    /** Runs the timers; returns the work count. */
    int work(long now) {
        nowNs = now;
        int work = streams.work(nowNs) + workOnConnection();
        if (isTakenDown) {
            isTakenDown = false;
            work++;
        }
        return work;
    }

    private int workOnConnection() {
        switch (state) {
            case WAITING -> {
                if (!streams.isEmpty() && nowNs - deadlineNs >= 0 && address.isLookedUp()) {
                    connect();
                    return 1;
                }
            }
            case CONNECTING -> {
                if (nowNs - deadlineNs >= 0) {
                    notConnected(
                            "cannot connect to "
                                    + name
                                    + ": no answer within "
                                    + options.connectTimeoutNs() / 1_000_000
                                    + " ms; check the address, and that a driver is running there",
                            Kind.NOT_CONNECTED,
                            false);
                    return 1;
                }
            }
            case UP -> {
                if (streams.isEmpty() && nowNs - idleSinceNs >= options.lingerNs()) {
                    release("the endpoint is no longer used by any publication");
                    return 1;
                }
            }
            case RELEASING, ENDING -> {
                // Waiting for the sender or the fabric.
            }
        }
        return 0;
    }

    /** Returns host and port of the local end; null while there is no connection. */
    String localAddress() {
        InetSocketAddress local = connection == null ? null : connection.localAddress();
        return local == null ? null : Endpoint.text(local);
    }

    /** Describes the rejection of a stream by one of the peer's subscribers. */
    PeerRejection rejection(String reason) {
        return new PeerRejection(
                peerDriverId, OptionalLong.empty(), address.remote(), reason, address.endpoint());
    }

    /** Returns whether no stream is being sent to the endpoint and there is no connection. */
    boolean isOver() {
        return streams.isEmpty() && state == State.WAITING;
    }

    private void connect() {
        InetSocketAddress remote = address.remote();
        InetSocketAddress local = address.local();
        address.onAttempt();
        deadlineNs = nowNs + options.connectTimeoutNs();
        state = State.CONNECTING;
        counters.state.setRelease(1);
        String unresolved = PeerAddress.unresolved(remote, local);
        if (unresolved != null) {
            notConnected(unresolved, Kind.NOT_CONNECTED, false);
            return;
        }
        handshake = hostAdmission.keys().initiate(remote.getAddress());
        memory = new OutboundMemory();
        connection =
                fabric.connect(
                        remote,
                        local,
                        connectionOptions,
                        streams.domain(),
                        Hello.of(
                                host.driverId(),
                                RejectCode.UNSPECIFIED,
                                handshake.challenge(),
                                Proof.NONE,
                                isSafe()),
                        memory);
    }

    void onEstablished(byte[] privateData) {
        if (state != State.CONNECTING) {
            return;
        }
        Hello hello = Hello.read(privateData);
        if (hello == null) {
            notConnected(
                    "the listener at " + name + " is not a Verbus driver: correct the endpoint",
                    Kind.STRANGER,
                    true);
        } else if (hello.isStrange()) {
            notConnected(
                    hello.versions().differ("the driver at " + name), Kind.OTHER_VERSION, true);
        } else if (isSafe() && hello.cannotConfirm("the driver at " + name) != null) {
            notConnected(hello.cannotConfirm("the driver at " + name), Kind.OTHER_VERSION, true);
        } else {
            Proof proof = proof(hello);
            if (proof == null && handshake.isNeeded()) {
                unauthenticated(
                        "the driver at "
                                + name
                                + " did not prove that it has its network's key: give that driver"
                                + " an rdma.key-file with this driver's key");
                return;
            }
            meet(hello.driverId());
            attach(hello.version(), proof, isSafe() || hello.confirms());
            hostAdmission.onAdmitted(
                    connection.remoteAddress(),
                    connection.localAddress(),
                    "driver="
                            + Long.toHexString(hello.driverId())
                            + " from here "
                            + (proof == null ? "without a key" : "with the key of its network"));
        }
    }

    /** Returns the proof of this side's key; null if the peer has not proved its own key. */
    private Proof proof(Hello hello) {
        InetSocketAddress local = connection.localAddress();
        if (!handshake.isNeeded() || local == null) {
            return null;
        }
        return handshake.answer(
                hello.version(),
                Hello.own(local.getAddress(), host.driverId(), handshake.challenge()),
                hello.side(connection.remoteAddress().getAddress()),
                hello.proof());
    }

    private void unauthenticated(String message) {
        hostAdmission.onUnauthenticated(
                connection.remoteAddress(), connection.localAddress(), message);
        notConnected(message, Kind.NOT_AUTHENTICATED, true);
    }

    /**
     * Records the id of the peer's driver. If the id has changed, the new driver does not know the
     * streams that were cut off.
     */
    private void meet(long driverId) {
        if (driverId != peerDriverId) {
            peerDriverId = driverId;
            String message = "the driver at " + name + " has restarted: the stream starts over";
            if (streams.beginAnew(message)) {
                report(Kind.RESTARTED, message);
            }
        }
    }

    private boolean isSafe() {
        return options.order() == WriteOrder.SAFE;
    }

    private void attach(int version, Proof proof, boolean confirms) {
        streams.attach(connection, memory, version, proof, confirms, counters, events);
        state = State.UP;
        backoff.reset();
        counters.state.setRelease(2);
        counters.queuePair.setRelease(connection.queuePair().number());
        counters.connects.incrementRelease();
        counters.on(connection.path().device());
    }

    void onEnded(Cause cause, String reason, byte[] privateData) {
        switch (state) {
            case CONNECTING -> {
                ConnectFailure failure = ConnectFailure.of(name, cause, reason, privateData);
                if ((isParted || isAwaited()) && failure.isClosed()) {
                    down(failure.message(), failure.isByDriver());
                    takeDown(() -> {});
                } else {
                    notConnected(failure.message(), failure.kind(), failure.isByDriver());
                }
            }
            case UP -> release(reason);
            case WAITING, RELEASING, ENDING -> {
                // Already closing.
            }
        }
    }

    /**
     * Returns whether the first subscriber may still be starting. It is not an error for publishers
     * to start first.
     */
    private boolean isAwaited() {
        return peerDriverId == 0 && nowNs - beganNs < options.resumeTimeoutNs();
    }

    private void release(String reason) {
        state = State.RELEASING;
        streams.detach(reason);
    }

    /** Called when the sender has released the connection. */
    void onReleased(String reason, LinkEnd end) {
        isParted = end != LinkEnd.VIOLATION && !streams.isAnyCutOff();
        if (end == LinkEnd.VIOLATION) {
            counters.violations.incrementRelease();
        }
        String message =
                end == LinkEnd.GOODBYE
                        ? "the driver at " + name + " has shut down"
                        : "the connection to " + name + " is lost: " + reason;
        takeDown(
                () -> {
                    streams.onLost(end, nowNs);
                    if (!isParted) {
                        down(message, false);
                    }
                });
        if (!isParted) {
            report(
                    switch (end) {
                        case GOODBYE -> Kind.ENDED;
                        case VIOLATION -> Kind.BREACH;
                        case LOST -> Kind.LOST;
                    },
                    message);
        }
    }

    private void notConnected(String message, Kind kind, boolean rejected) {
        report(kind, message);
        down(message, rejected);
        takeDown(() -> {});
    }

    /**
     * Closes the connection, if there is one, and schedules the next attempt to connect.
     *
     * @param then callback invoked when the peer can no longer write.
     */
    private void takeDown(Runnable then) {
        state = State.ENDING;
        counters.state.setRelease(0);
        counters.queuePair.setRelease(0);
        if (connection == null) {
            onTakenDown(then);
        } else {
            connection.close(
                    null,
                    () -> {
                        streams.closeLink();
                        streams.adopt(connection.domain());
                        connection = null;
                        onTakenDown(then);
                    });
        }
    }

    private void onTakenDown(Runnable then) {
        state = State.WAITING;
        deadlineNs = nowNs + backoff.next();
        isTakenDown = true;
        then.run();
    }

    private void report(Kind kind, String message) {
        if (!message.equals(reported)) {
            reported = message;
            if (streams.isEmpty()) {
                complaints.record(kind, name, message);
            } else {
                complaints.record(kind, name, streams.channel(), message);
            }
        }
    }

    private void down(String message, boolean rejected) {
        counters.onFailure(message);
        streams.tell(rejected, message);
    }

    /** Called when the peer has accepted a stream, so that the next failure is reported again. */
    void onAccepted(OutboundPublication publication, boolean isResumed) {
        publication.onAccepted();
        if (isResumed) {
            counters.resumes.incrementRelease();
        }
        reported = null;
        isParted = false;
    }

    String name() {
        return name;
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close();
            streams.adopt(connection.domain());
        }
        streams.close();
        counters.close();
    }
}
