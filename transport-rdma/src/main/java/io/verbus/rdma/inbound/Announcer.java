// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.inbound;

import io.verbus.channel.Endpoint;
import io.verbus.cnc.TransportCounter;
import io.verbus.rdma.auth.KeyRing;
import io.verbus.rdma.common.Announcement;
import io.verbus.rdma.common.Backoff;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.RdmaOptions;
import io.verbus.rdma.common.RdmaPeerErrors;
import io.verbus.rdma.common.RdmaPeerErrors.Kind;
import io.verbus.rdma.common.SystemCounters;
import io.verbus.rdma.common.Versions;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Announces this driver's endpoints at the control addresses of publications, until the
 * publications' driver has connected and offers the requested streams, and again when the streams
 * are lost. Used by the conductor's thread.
 *
 * <pre>
 *   WAITING ─due and not offered─▶ ASKING ─refused, which is the answer─▶ WAITING
 * </pre>
 */
final class Announcer implements AutoCloseable {
    private static final long LONGEST_PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final TransportHost host;
    private final Fabric fabric;
    private final RdmaOptions options;
    private final InboundPeers peers;
    private final KeyRing keys;
    private final RdmaPeerErrors complaints;
    private final AtomicCounter asked;
    private final List<Wish> wishes = new ArrayList<>();

    /** A request for streams at a control address. */
    private final class Wish {
        private final InboundListener listener;
        private final Endpoint control;

        /** Null when requesting all streams rather than one session. */
        private final AwaitedResponses session;

        /** Backoff while the control address does not answer. */
        private final Backoff backoff = new Backoff(options.backoffMinNs(), options.backoffMaxNs());

        /** Backoff while the control address has answered but offers nothing. */
        private final Backoff patience = new Backoff(options.backoffMaxNs(), LONGEST_PATIENCE_NS);

        private CompletableFuture<Void> names;
        private Connection connection;
        private long dueNs;
        private int attempts;

        /** Id in the control address's answer, or 0. */
        private long controlId;

        /**
         * Whether the control address has answered before. A later refusal then means that its
         * publication has closed, which is not an error.
         */
        private boolean isParted;

        private String reported;

        private Wish(
                InboundListener listener, Endpoint control, AwaitedResponses session, long nowNs) {
            this.listener = listener;
            this.control = control;
            this.session = session;
            dueNs = nowNs;
        }

        private boolean is(
                InboundListener otherListener, Endpoint otherControl, AwaitedResponses other) {
            return listener == otherListener
                    && control.equals(otherControl)
                    && Objects.equals(session, other);
        }
    }

    /**
     * @param host the driver.
     * @param fabric fabric to connect through.
     * @param options options of the transport.
     * @param peers connected peers.
     * @param keys keys for proofs to control addresses.
     * @param counters counters of the transport.
     * @param complaints error records of control addresses.
     */
    Announcer(
            TransportHost host,
            Fabric fabric,
            RdmaOptions options,
            InboundPeers peers,
            KeyRing keys,
            SystemCounters counters,
            RdmaPeerErrors complaints) {
        this.host = host;
        this.fabric = fabric;
        this.options = options;
        this.peers = peers;
        this.keys = keys;
        this.complaints = complaints;
        asked = counters.counter(TransportCounter.RDMA_ANNOUNCING);
    }

    /**
     * Requests streams until {@link #forget} or until the endpoint is closed. Idempotent.
     *
     * @param listener endpoint to receive the streams.
     * @param control control address of the publications.
     * @param session session of the responses; null to request all streams.
     * @param nowNs monotonic time.
     */
    void add(InboundListener listener, Endpoint control, AwaitedResponses session, long nowNs) {
        if (wishes.stream().noneMatch(wish -> wish.is(listener, control, session))) {
            wishes.add(new Wish(listener, control, session, nowNs));
        }
    }

    /** Stops requesting responses. */
    void forget(InboundListener listener, AwaitedResponses session) {
        forget(wish -> wish.listener == listener && session.equals(wish.session));
    }

    /** Stops all requests of a closed endpoint. */
    void forget(InboundListener listener) {
        forget(wish -> wish.listener == listener);
    }

    private void forget(Predicate<Wish> isOver) {
        for (int i = wishes.size() - 1; i >= 0; i--) {
            if (isOver.test(wishes.get(i))) {
                closeConnection(wishes.remove(i));
            }
        }
    }

    /** Runs the timers; returns the work count. */
    int work(long nowNs) {
        int work = 0;
        for (int i = 0; i < wishes.size(); i++) {
            Wish wish = wishes.get(i);
            if (nowNs - wish.dueNs >= 0) {
                work += work(wish, nowNs);
            }
        }
        return work;
    }

    private int work(Wish wish, long nowNs) {
        if (wish.connection != null) {
            failed(
                    wish,
                    Kind.NOT_CONNECTED,
                    "no answer within " + options.connectTimeoutNs() / 1_000_000 + " ms",
                    nowNs);
            return 1;
        }
        if (wish.controlId != 0 && isOffered(wish)) {
            wish.patience.reset();
            wish.dueNs = nowNs + options.backoffMinNs();
            return 0;
        }
        if (wish.names == null) {
            wish.names = host.lookUp(wish.control.host());
        }
        if (!wish.names.isDone() || !wish.listener.isOpen()) {
            return 0;
        }
        wish.names = null;
        ask(wish, nowNs);
        return 1;
    }

    private boolean isOffered(Wish wish) {
        for (int i = 0; i < peers.count(); i++) {
            InboundPeer peer = peers.get(i);
            if (peer.listener == wish.listener && peer.hasOffered(wish.controlId, wish.session)) {
                return true;
            }
        }
        return false;
    }

    private void ask(Wish wish, long nowNs) {
        InetSocketAddress remote = host.address(wish.control.host(), wish.control.port());
        if (remote.isUnresolved()) {
            failed(
                    wish,
                    Kind.NOT_CONNECTED,
                    "the host name cannot be resolved: correct the channel, or the name service",
                    nowNs);
            return;
        }
        InetSocketAddress own = wish.listener.localAddress();
        Announcement announcement =
                wish.session == null
                        ? Announcement.ofAll(host.driverId(), own.getPort())
                        : Announcement.ofSession(
                                host.driverId(),
                                own.getPort(),
                                wish.session.streamId(),
                                wish.session.sessionId());
        wish.dueNs = nowNs + options.connectTimeoutNs();
        wish.connection =
                fabric.connect(
                        remote,
                        own.getAddress().isAnyLocalAddress()
                                ? null
                                : new InetSocketAddress(own.getAddress(), 0),
                        wish.listener.options(),
                        null,
                        announcement
                                .proved(
                                        keys.announcing(remote.getAddress(), wish.attempts++),
                                        remote.getAddress())
                                .bytes());
        asked.incrementRelease();
    }

    /**
     * Handles an established connection. If it was an announcement, the peer is not a control
     * address, because an announcement is always rejected.
     *
     * @return whether the connection was an announcement of this side.
     */
    boolean onEstablished(Connection connection, long nowNs) {
        Wish wish = at(connection);
        if (wish != null) {
            failed(wish, Kind.STRANGER, "the listener there is not a Verbus driver", nowNs);
        }
        return wish != null;
    }

    /**
     * Handles the end of a connection.
     *
     * @return whether the connection was an announcement of this side.
     */
    boolean onEnded(
            Connection connection, Cause cause, String reason, byte[] privateData, long nowNs) {
        Wish wish = at(connection);
        if (wish == null) {
            return false;
        }
        Announcement.Answer answer =
                cause == Cause.REJECTED ? Announcement.Answer.read(privateData) : null;
        if (answer != null) {
            onAnswer(wish, answer, nowNs);
        } else if (cause == Cause.REJECTED && Hello.read(privateData) != null) {
            failed(
                    wish,
                    Kind.STRANGER,
                    "the address is a subscription's endpoint, or the driver there runs another"
                            + " release: use the publication's control address",
                    nowNs);
        } else if (cause == Cause.REJECTED && wish.isParted) {
            wait(wish, wish.backoff, nowNs);
        } else {
            failed(wish, Kind.NOT_CONNECTED, reason, nowNs);
        }
        return true;
    }

    private void onAnswer(Wish wish, Announcement.Answer answer, long nowNs) {
        if (answer.versions().isStrangeTo(Versions.OURS)) {
            failed(wish, Kind.OTHER_VERSION, answer.versions().differ("the driver there"), nowNs);
            return;
        }
        switch (answer.code()) {
            case ANNOUNCED -> {
                wish.controlId = answer.controlId();
                wish.isParted = true;
                wish.reported = null;
                wish.backoff.reset();
                wait(wish, wish.patience, nowNs);
            }
            case NO_PUBLICATION -> wait(wish, wish.backoff, nowNs);
            case NOT_ALLOWED ->
                    failed(
                            wish,
                            Kind.NOT_ALLOWED,
                            "the driver there does not allow this host: add this host to that"
                                    + " driver's rdma.allow, or send the requests from this driver",
                            nowNs);
            case NOT_AUTHENTICATED ->
                    failed(
                            wish,
                            Kind.NOT_AUTHENTICATED,
                            "the driver there rejected this driver, which lacks the network's "
                                    + "key: use the same rdma.key-file on both hosts",
                            nowNs);
            case NO_RESOURCES ->
                    failed(
                            wish,
                            Kind.NO_ROOM,
                            "the driver there accepts no more receivers: raise that "
                                    + "driver's rdma.max-connections",
                            nowNs);
            default ->
                    failed(
                            wish,
                            Kind.NOT_CONNECTED,
                            "the driver there rejected the announcement: see that driver's error "
                                    + "log",
                            nowNs);
        }
    }

    private void failed(Wish wish, Kind kind, String reason, long nowNs) {
        String message =
                "cannot announce the endpoint "
                        + wish.listener.description()
                        + " at control="
                        + wish.control
                        + ": "
                        + reason;
        wish.isParted = false;
        if (!message.equals(wish.reported)) {
            wish.reported = message;
            complaints.record(kind, wish.control.toString(), wish.listener.channel(), message);
        }
        wait(wish, wish.backoff, nowNs);
    }

    private void wait(Wish wish, Backoff backoff, long nowNs) {
        closeConnection(wish);
        wish.dueNs = nowNs + backoff.next();
    }

    private Wish at(Connection connection) {
        for (Wish wish : wishes) {
            if (wish.connection == connection) {
                return wish;
            }
        }
        return null;
    }

    private static void closeConnection(Wish wish) {
        if (wish.connection != null) {
            Connection connection = wish.connection;
            wish.connection = null;
            connection.close(
                    null,
                    () -> {
                        if (connection.domain() != null) {
                            connection.domain().close();
                        }
                    });
        }
    }

    @Override
    public void close() {
        wishes.forEach(Announcer::closeConnection);
        wishes.clear();
    }
}
