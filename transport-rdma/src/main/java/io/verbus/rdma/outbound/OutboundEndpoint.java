// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.ChannelUri;
import io.verbus.Endpoint;
import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.link.Backoff;
import io.verbus.rdma.link.ChannelOptions;
import io.verbus.rdma.link.ConnectionCounters;
import io.verbus.rdma.link.Greeting;
import io.verbus.rdma.link.LinkEnd;
import io.verbus.rdma.link.RdmaOptions;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * A remote endpoint and the one connection to it, kept while there are publications to send there.
 * Conductor's thread.
 *
 * <pre>
 *   WAITING ─backoff over─▶ CONNECTING ─established─▶ UP ─failure, or idle─▶ RELEASING
 *      ▲                         │                                              │ sender has let go
 *      └─────────────────────────┴──────────────────────────────────────────────┘
 * </pre>
 */
final class OutboundEndpoint implements AutoCloseable {
    private enum State {
        WAITING,
        CONNECTING,
        UP,
        RELEASING
    }

    private final Endpoint address;
    private final String localHost;
    private final String name;
    private final TransportHost host;
    private final Fabric fabric;
    private final RdmaOptions options;
    private final ConnectionOptions connectionOptions;
    private final Queue<SenderCommand> commands;
    private final Queue<SenderEvent> events;
    private final ConnectionCounters counters;
    private final Backoff backoff;
    private final List<OutboundPublication> publications = new ArrayList<>();

    private State state = State.WAITING;
    private Connection connection;
    private Domain domain;
    private OutboundLink link;
    private CreditSlots creditSlots;
    private long deadlineNs;
    private long idleSinceNs;
    private String reported;

    /** A stream may be late to resume. */
    private boolean isAnyResuming;

    /** Of the peer, when a connection last stood. */
    private long peerDriverId;

    /** The peer was left, or has left, with nothing unsaid: that nobody listens now is no news. */
    private boolean isParted;

    /** A publication could not be registered on the connection that stands. */
    private boolean unsent;

    OutboundEndpoint(
            Endpoint address,
            String localHost,
            TransportHost host,
            Fabric fabric,
            RdmaOptions options,
            ConnectionOptions connectionOptions,
            Queue<SenderCommand> commands,
            Queue<SenderEvent> events,
            long nowNs) {
        this.address = address;
        this.localHost = localHost;
        this.name = localHost == null ? address.toString() : address + " from " + localHost;
        this.host = host;
        this.fabric = fabric;
        this.options = options;
        this.connectionOptions = connectionOptions;
        this.commands = commands;
        this.events = events;
        counters = new ConnectionCounters(host, "rdma to " + name);
        backoff = new Backoff(options.backoffMinNs(), options.backoffMaxNs());
        deadlineNs = nowNs;
        idleSinceNs = nowNs;
    }

    boolean is(Endpoint otherAddress, String otherLocalHost) {
        return address.equals(otherAddress)
                && (localHost == null ? otherLocalHost == null : localHost.equals(otherLocalHost));
    }

    /**
     * @throws TransportException if a channel asks for another connection than this.
     */
    void requireFits(ChannelUri channel) {
        ChannelOptions.requireShared(connectionOptions, channel, "the connection to " + name);
    }

    boolean uses(Connection other) {
        return connection == other && other != null;
    }

    boolean uses(OutboundLink other) {
        return link == other;
    }

    /** The connection that is up; or null. */
    OutboundLink link() {
        return state == State.UP ? link : null;
    }

    /** Sends a publication. */
    void add(OutboundPublication publication) {
        if (state == State.UP) {
            try {
                send(publication);
            } catch (FabricException e) {
                publication.closeLog();
                throw new TransportException(e.getMessage(), e);
            }
        }
        publications.add(publication);
    }

    /**
     * Ends a publication.
     *
     * @return whether it is free at once.
     */
    boolean end(OutboundPublication publication) {
        publication.closing = true;
        if (publication.transfer == null) {
            return !publication.isResuming();
        }
        if (state == State.UP) {
            commands.add(new SenderCommand.End(link, publication.transfer));
        }
        return false;
    }

    /** A publication is free: forgets it. */
    void remove(OutboundPublication publication, long nowNs) {
        publication.closeLog();
        publications.remove(publication);
        idleSinceNs = nowNs;
    }

    /** Timers. */
    int work(long nowNs) {
        return giveUpLate(nowNs) + workOnConnection(nowNs);
    }

    private int workOnConnection(long nowNs) {
        switch (state) {
            case WAITING -> {
                if (!publications.isEmpty() && nowNs - deadlineNs >= 0) {
                    connect(nowNs);
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
                                    + " ms; check the address and that its driver runs",
                            false,
                            nowNs);
                    return 1;
                }
            }
            case UP -> {
                if (publications.isEmpty() && nowNs - idleSinceNs >= options.lingerNs()) {
                    release("no publication is sent there any more");
                    return 1;
                }
                if (unsent && nowNs - deadlineNs >= 0) {
                    sendAll(nowNs);
                    return 1;
                }
            }
            case RELEASING -> {
                // The sender answers.
            }
        }
        return 0;
    }

    /** Whether nothing is sent there and no connection stands. */
    boolean isOver() {
        return publications.isEmpty() && state == State.WAITING;
    }

    private void connect(long nowNs) {
        InetSocketAddress remote = new InetSocketAddress(address.host(), address.port());
        InetSocketAddress local = localHost == null ? null : new InetSocketAddress(localHost, 0);
        deadlineNs = nowNs + options.connectTimeoutNs();
        state = State.CONNECTING;
        counters.state.setRelease(1);
        if (remote.isUnresolved() || local != null && local.isUnresolved()) {
            notConnected(
                    "host name '"
                            + (remote.isUnresolved() ? address.host() : localHost)
                            + "' cannot be resolved: correct the channel, or the name service",
                    false,
                    nowNs);
            return;
        }
        try {
            connection =
                    fabric.connect(
                            remote,
                            local,
                            connectionOptions,
                            domain,
                            Greeting.of(host.driverId(), RejectCode.UNSPECIFIED));
        } catch (FabricException e) {
            notConnected("cannot connect to " + name + ": " + e.getMessage(), false, nowNs);
        }
    }

    void onEstablished(byte[] privateData, long nowNs) {
        if (state != State.CONNECTING) {
            return;
        }
        Greeting greeting = Greeting.read(privateData);
        if (greeting == null) {
            notConnected(
                    "what listens at " + name + " is not a Verbus driver: correct the endpoint",
                    true,
                    nowNs);
        } else if (greeting.isOtherVersion()) {
            notConnected(otherVersion(greeting), true, nowNs);
        } else {
            try {
                meet(greeting.driverId());
                attach(nowNs);
            } catch (FabricException e) {
                notConnected(
                        "cannot use the connection to " + name + ": " + e.getMessage(),
                        false,
                        nowNs);
            }
        }
    }

    /** Another driver than before knows nothing of the streams that were cut off. */
    private void meet(long driverId) {
        boolean isOther = driverId != peerDriverId;
        peerDriverId = driverId;
        for (OutboundPublication publication : publications) {
            if (isOther && publication.cutOff != null) {
                beginAnew(
                        publication,
                        "the driver at "
                                + name
                                + " is another than before: the stream begins anew");
            }
        }
    }

    /** What was cut off does not go on. */
    private void beginAnew(OutboundPublication publication, String message) {
        commands.add(new SenderCommand.GiveUp(publication.cutOff));
        publication.forget();
        report(message);
        tell(publication, false, message);
    }

    /** Tells publishers that nobody receives any more, where a stream has not gone on in time. */
    private int giveUpLate(long nowNs) {
        if (!isAnyResuming) {
            return 0;
        }
        isAnyResuming = false;
        int late = 0;
        for (int i = 0; i < publications.size(); i++) {
            OutboundPublication publication = publications.get(i);
            if (publication.isLate(nowNs)) {
                commands.add(
                        new SenderCommand.GiveUp(
                                publication.transfer != null
                                        ? publication.transfer
                                        : publication.cutOff));
                tell(
                        publication,
                        false,
                        "the stream to "
                                + name
                                + " has not gone on within "
                                + options.resumeTimeoutNs() / 1_000_000
                                + " ms: see why in the driver's error log");
                late++;
            }
            isAnyResuming |= publication.isResuming();
        }
        return late;
    }

    private void attach(long nowNs) {
        adoptDomain();
        creditSlots = new CreditSlots(domain);
        link = new OutboundLink(connection.queuePair(), domain, counters, options, events, nowNs);
        commands.add(new SenderCommand.Attach(link));
        state = State.UP;
        backoff.reset();
        counters.state.setRelease(2);
        counters.queuePair.setRelease(connection.queuePair().number());
        counters.connects.incrementRelease();
        sendAll(nowNs);
    }

    /** Sends what is not sent yet; a log that cannot be registered is tried again after a while. */
    private void sendAll(long nowNs) {
        unsent = false;
        for (OutboundPublication publication : publications) {
            try {
                if (publication.transfer == null && !publication.isLeaving) {
                    send(publication);
                }
            } catch (FabricException e) {
                unsent = true;
                deadlineNs = nowNs + options.backoffMaxNs();
                if (!e.getMessage().equals(publication.told)) {
                    host.onError(new TransportException(e.getMessage(), e));
                }
                tell(publication, false, e.getMessage());
            }
        }
    }

    /** The peer has let go of a publication that left it: offers it anew. */
    void sendAgain(OutboundPublication publication, long nowNs) {
        publication.isLeaving = false;
        if (state == State.UP) {
            sendAll(nowNs);
        }
    }

    private void send(OutboundPublication publication) {
        if (publication.broken || publication.closing && !publication.isResuming()) {
            return;
        }
        if (publication.log == null) {
            publication.log =
                    domain.register(
                            publication.stream.log().address(),
                            publication.stream.log().writableLength(),
                            Access.LOCAL_READ);
        }
        publication.transfer = new Transfer(publication, creditSlots.take());
        commands.add(new SenderCommand.Add(link, publication.transfer));
    }

    void onEnded(Cause cause, String reason, byte[] privateData, long nowNs) {
        switch (state) {
            case CONNECTING -> {
                Greeting greeting = cause == Cause.REJECTED ? Greeting.read(privateData) : null;
                boolean isClosed =
                        greeting == null
                                ? cause == Cause.REJECTED
                                : greeting.rejectCode() == RejectCode.ENDPOINT_CLOSED;
                String message =
                        greeting == null
                                ? "cannot connect to " + name + ": " + reason
                                : rejection(greeting);
                if (isParted && isClosed) {
                    closeConnection();
                    down(message, greeting != null, nowNs);
                } else {
                    notConnected(message, greeting != null, nowNs);
                }
            }
            case UP -> release(reason);
            case WAITING, RELEASING -> {
                // Already on the way down.
            }
        }
    }

    private String rejection(Greeting greeting) {
        return switch (greeting.rejectCode()) {
            case VERSION_MISMATCH -> otherVersion(greeting);
            case NOT_ALLOWED ->
                    "the driver at " + name + " does not allow this host: add it to its allow list";
            case NO_RESOURCES ->
                    "the driver at "
                            + name
                            + " takes no more connections: raise its rdma.max-peers";
            case ENDPOINT_CLOSED -> "nobody subscribes at " + name + " any more";
            default -> "the driver at " + name + " refuses the connection: see its error log";
        };
    }

    private String otherVersion(Greeting greeting) {
        return "the driver at "
                + name
                + " speaks version "
                + greeting.version()
                + " of the protocol, this one version "
                + Greeting.VERSION
                + ": use the same Verbus release for both";
    }

    private void release(String reason) {
        state = State.RELEASING;
        commands.add(new SenderCommand.Detach(link, reason));
    }

    /** The sender has let go of the connection. */
    void onReleased(String reason, LinkEnd end, long nowNs) {
        isParted = end != LinkEnd.VIOLATION && !isAnyCutOff();
        if (end == LinkEnd.VIOLATION) {
            counters.violations.incrementRelease();
        }
        closeConnection();
        for (OutboundPublication publication : publications) {
            publication.onLost(nowNs + options.resumeTimeoutNs());
            isAnyResuming |= publication.cutOff != null;
            if (end == LinkEnd.GOODBYE && publication.cutOff != null) {
                commands.add(new SenderCommand.GiveUp(publication.cutOff));
                publication.forget();
            }
            if (publication.branch != null) {
                commands.add(
                        new SenderCommand.Unread(publication.branch, publication.cutOff == null));
            }
        }
        if (isParted) {
            await(nowNs);
        } else {
            String message =
                    end == LinkEnd.GOODBYE
                            ? "the driver at " + name + " has ended"
                            : "the connection to " + name + " is lost: " + reason;
            report(message);
            down(message, false, nowNs);
        }
    }

    /** Whether a stream was cut off; otherwise a connection that ends is no failure. */
    private boolean isAnyCutOff() {
        for (OutboundPublication publication : publications) {
            if (publication.transfer != null && publication.transfer.image().isCutOff()) {
                return true;
            }
        }
        return false;
    }

    private void notConnected(String message, boolean rejected, long nowNs) {
        closeConnection();
        report(message);
        down(message, rejected, nowNs);
    }

    private void report(String message) {
        if (!message.equals(reported)) {
            reported = message;
            host.onError(new TransportException(message));
        }
    }

    private void down(String message, boolean rejected, long nowNs) {
        await(nowNs);
        counters.onFailure(message);
        for (OutboundPublication publication : publications) {
            tell(publication, rejected, message);
        }
    }

    /** Waits with the next attempt, each time longer. */
    private void await(long nowNs) {
        state = State.WAITING;
        deadlineNs = nowNs + backoff.next();
        counters.state.setRelease(0);
        counters.queuePair.setRelease(0);
    }

    /** A stream was accepted: later failures are news again. */
    void onAccepted(OutboundPublication publication, boolean isResumed) {
        publication.onAccepted();
        if (isResumed) {
            counters.resumes.incrementRelease();
        }
        reported = null;
        isParted = false;
        publication.told = null;
    }

    void tell(OutboundPublication publication, boolean rejected, String message) {
        if (!publication.closing && !message.equals(publication.told)) {
            publication.told = message;
            host.onPublicationFailed(publication.publication(), rejected, message);
        }
    }

    void giveBack(CreditSlots.Slot slot) {
        creditSlots.giveBack(slot);
    }

    /** Of the publications, one that was closed and has no transfer any more; or null. */
    OutboundPublication nextClosed() {
        for (OutboundPublication publication : publications) {
            if (publication.closing && publication.transfer == null && !publication.isResuming()) {
                return publication;
            }
        }
        return null;
    }

    String name() {
        return name;
    }

    /** Takes over the domain of a new connection: what is registered on another device is not. */
    private void adoptDomain() {
        if (connection.domain() != null && connection.domain() != domain) {
            closeDomain();
            domain = connection.domain();
        }
    }

    private void closeConnection() {
        if (connection != null) {
            connection.close();
        }
        if (link != null) {
            link.close();
            link = null;
        }
        if (creditSlots != null) {
            creditSlots.close();
            creditSlots = null;
        }
        if (connection != null) {
            adoptDomain();
            connection = null;
        }
    }

    private void closeDomain() {
        for (OutboundPublication publication : publications) {
            publication.closeLog();
        }
        if (domain != null) {
            domain.close();
            domain = null;
        }
    }

    @Override
    public void close() {
        closeConnection();
        closeDomain();
        counters.close();
    }
}
