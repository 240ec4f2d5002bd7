// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.calls.Lane;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.PathInfo;
import io.verbus.rdma.fabric.Provision;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.TransportType;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A connection and its state.
 *
 * <pre>
 *   initiating:  RESOLVING --> ROUTING --> CONNECTING --+
 *                                                       +--> SETTLING --> ESTABLISHED --> ENDED
 *   accepting:   REQUESTED --> ACCEPTED ----------------+
 * </pre>
 *
 * <p>Every state leads to ENDED, which is reported once, and to CLOSED. The state belongs to the
 * conductor. The calls of each state run on a lane, one after the other, and the conductor reads
 * their results once they have been reported. Since the peer may proceed while a call is running, a
 * state describes what was last requested.
 */
final class VerbsConnection implements Connection {
    private static final int MAX_ANSWER_LENGTH = 128;
    private static final byte[] NO_DATA = {};

    private final VerbsFabric fabric;
    private final Ibverbs ibverbs;
    private final ConnectionManager manager;
    private final Lane lane;
    private final ConnectionOptions options;
    private final byte[] privateData;
    private final InetSocketAddress remoteAddress;
    private final boolean isInitiator;

    // State used by the conductor
    private State state;
    private byte[] answer = NO_DATA;

    /** Written by the conductor; read by the lane afterwards. */
    private boolean isAccepted;

    // Written by the lane, read by the conductor and by the agent that uses the queue pair.
    private volatile InetSocketAddress localAddress;
    private volatile ProtectionDomain domain;
    private volatile Device device;
    private volatile int port;
    private volatile QueuePairResources resources;
    private volatile PathInfo path;

    // State used by the lane

    /** 0 before it is created. */
    private long id;

    private HeldDevices.Held held;

    /** Domain to reuse if it is on the same device. */
    private final ProtectionDomain offered;

    private Provision provision;
    private boolean isProvided;

    private enum State {
        RESOLVING,
        ROUTING,
        CONNECTING,
        REQUESTED,
        ACCEPTED,
        SETTLING,
        ESTABLISHED,
        ENDED,
        CLOSED
    }

    /** Creates a connection that this side initiates; {@link #begin} must follow. */
    VerbsConnection(
            VerbsFabric fabric,
            Ibverbs ibverbs,
            ConnectionManager manager,
            Lane lane,
            ConnectionOptions options,
            InetSocketAddress remoteAddress,
            ProtectionDomain domain,
            byte[] privateData,
            Provision provision) {
        this.fabric = fabric;
        this.ibverbs = ibverbs;
        this.manager = manager;
        this.lane = lane;
        this.options = options;
        this.remoteAddress = remoteAddress;
        this.offered = domain;
        this.privateData = privateData;
        this.provision = provision;
        isInitiator = true;
        state = State.RESOLVING;
    }

    /** Creates a connection that a peer requests. Called on the thread that reads the request. */
    VerbsConnection(
            VerbsFabric fabric,
            Ibverbs ibverbs,
            ConnectionManager manager,
            Lane lane,
            ConnectionOptions options,
            long id) {
        this.fabric = fabric;
        this.ibverbs = ibverbs;
        this.manager = manager;
        this.lane = lane;
        this.options = options;
        this.id = id;
        remoteAddress = manager.remoteAddress(id);
        localAddress = manager.localAddress(id);
        offered = null;
        privateData = NO_DATA;
        provision = Provision.NONE;
        isInitiator = false;
        state = State.REQUESTED;
    }

    // Conductor

    /** Starts resolving the peer's address. */
    void begin(InetSocketAddress source) {
        go(
                "rdma_resolve_addr",
                () -> {
                    id = manager.createId(this);
                    manager.resolveAddress(id, source, remoteAddress);
                });
    }

    @Override
    public QueuePair queuePair() {
        QueuePairResources made = resources;
        return made == null ? null : made.queuePair();
    }

    @Override
    public ProtectionDomain domain() {
        return domain;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public InetSocketAddress localAddress() {
        return state == State.CLOSED ? null : localAddress;
    }

    @Override
    public PathInfo path() {
        return path;
    }

    @Override
    public void accept(Supplier<byte[]> privateAnswer, Provision needed) {
        require(State.REQUESTED, "accept");
        state = State.ACCEPTED;
        isAccepted = true;
        fabric.onAnswered();
        go(
                "rdma_accept",
                () -> {
                    bindToDevice();
                    manager.setAckTimeout(id, options.ackTimeout());
                    createQueuePair();
                    provide(needed);
                    manager.accept(id, options, checkedAnswer(privateAnswer.get()));
                    findPath();
                });
    }

    @Override
    public void reject(byte[] privateAnswer, Consumer<RuntimeException> failed) {
        require(State.REQUESTED, "reject");
        byte[] checked = checkedAnswer(privateAnswer);
        state = State.CLOSED;
        fabric.forget(this);
        call(
                "rdma_reject",
                () -> {
                    try {
                        manager.reject(id, checked);
                    } finally {
                        takeDown();
                    }
                },
                failure -> {
                    if (failure != null) {
                        failed.accept(failure);
                    }
                });
    }

    @Override
    public void call(Runnable work, Consumer<RuntimeException> then) {
        call("a registration", work, then);
    }

    private void call(String name, Runnable work, Consumer<RuntimeException> then) {
        lane.call(name + " for " + SocketAddresses.text(remoteAddress), work, then);
    }

    /** Runs the next step. The connection ends if the step fails. */
    private void go(String name, Runnable work) {
        call(name, work, this::endIfFailed);
    }

    private void endIfFailed(RuntimeException failure) {
        if (failure instanceof VerbsException failed) {
            end(EndText.of(failed, SocketAddresses.text(remoteAddress)));
        } else if (failure instanceof FabricException failed) {
            end(Cause.FAILED, failed.getMessage(), NO_DATA);
        } else if (failure != null) {
            fabric.errors().onError(failure);
            end(Cause.FAILED, failure.toString(), NO_DATA);
        }
    }

    @Override
    public void close(Runnable last, Runnable then) {
        if (state == State.CLOSED) {
            return;
        }
        boolean leave =
                switch (state) {
                    case ACCEPTED, SETTLING, ESTABLISHED -> true;
                    // Its queue pair accepts messages until it is disconnected.
                    case ENDED -> last != null;
                    default -> false;
                };
        state = State.CLOSED;
        fabric.forget(this);
        call(
                "rdma_disconnect and the end of the connection",
                () -> {
                    try {
                        if (leave && device != null && !device.isGone()) {
                            manager.disconnect(id);
                        }
                        if (last != null) {
                            last.run();
                        }
                    } finally {
                        takeDown();
                    }
                },
                failure -> {
                    if (failure != null) {
                        fabric.errors().onError(failure);
                    }
                    then.run();
                });
    }

    /** Handles an event of this connection. */
    void onEvent(CmEvent event) {
        switch (event.type()) {
            case VerbsAbi.RDMA_CM_EVENT_ADDR_RESOLVED -> {
                if (state == State.RESOLVING) {
                    state = State.ROUTING;
                    go("rdma_resolve_route", this::resolveRoute);
                }
            }
            case VerbsAbi.RDMA_CM_EVENT_ROUTE_RESOLVED -> {
                if (state == State.ROUTING) {
                    state = State.CONNECTING;
                    go("rdma_connect", this::connect);
                }
            }
            case VerbsAbi.RDMA_CM_EVENT_ESTABLISHED -> {
                if (state == State.CONNECTING || state == State.ACCEPTED) {
                    state = State.SETTLING;
                    answer = isInitiator ? event.privateData() : NO_DATA;
                    call("ibv_query_qp", this::settle, this::onSettled);
                }
            }
            default -> end(EndText.of(event, SocketAddresses.text(remoteAddress)));
        }
    }

    /** Handles a device's error that concerns this connection. */
    void onDeviceError(String reason) {
        end(Cause.FAILED, reason, NO_DATA);
    }

    /**
     * Completes the connection when the peer's first data arrives, because the peer's last
     * handshake message may be lost.
     */
    void onDataBeforeEstablished() {
        if (state == State.ACCEPTED) {
            go("rdma_notify", () -> manager.notifyEstablished(id));
        }
    }

    /**
     * Returns whether an error of a device, port (0 for any) or queue (0 for any) concerns this
     * connection.
     */
    boolean concernedBy(Device other, int otherPort, long queue) {
        QueuePairResources made = resources;
        return device == other
                && (otherPort == 0 || port == otherPort)
                && (queue == 0 || made != null && made.uses(queue));
    }

    private void onSettled(RuntimeException failure) {
        if (failure != null) {
            endIfFailed(failure);
        } else if (state == State.SETTLING) {
            state = State.ESTABLISHED;
            fabric.handler().onEstablished(this, answer);
        }
    }

    /** Ends the connection, unless the argument is null. */
    private void end(EndText.Ending ending) {
        if (ending != null) {
            end(ending.cause(), ending.reason(), ending.privateData());
        }
    }

    private void end(Cause cause, String reason, byte[] peersAnswer) {
        if (state != State.ENDED && state != State.CLOSED) {
            state = State.ENDED;
            fabric.handler().onEnded(this, cause, reason, peersAnswer);
        }
    }

    // Calls that run on the lane

    private void resolveRoute() {
        bindToDevice();
        manager.setAckTimeout(id, options.ackTimeout());
        if (options.trafficClass() != ConnectionOptions.ANY) {
            manager.setTrafficClass(id, options.trafficClass());
        }
        manager.resolveRoute(id);
    }

    private void connect() {
        createQueuePair();
        provide(provision);
        manager.connect(id, options, privateData);
    }

    /** Runs the queries and changes that require the queue pair to be ready to send. */
    private void settle() {
        localAddress = manager.localAddress(id);
        if (isInitiator) {
            findPath();
        }
        if (device.transport() != TransportType.IWARP) {
            resources.shortenWait(ibverbs);
        }
    }

    private void bindToDevice() {
        localAddress = manager.localAddress(id);
        long context = manager.context(id);
        held = fabric.device(context, localAddress);
        device = held.device();
        port = manager.port(id);
        if (!device.transport().ordered()) {
            throw VerbsFabric.unordered(device.name());
        }
        PathQuery.requireDevice(
                device.name(), options, "the connection to " + SocketAddresses.text(remoteAddress));
        domain = offered != null && offered.retainOn(context) ? offered : fabric.createDomain(held);
    }

    private void createQueuePair() {
        resources =
                QueuePairResources.create(
                        ibverbs,
                        manager,
                        id,
                        device,
                        domain,
                        options,
                        isInitiator,
                        fabric.errors());
    }

    private void provide(Provision needed) {
        provision = needed;
        needed.register(domain);
        isProvided = true;
    }

    /** Queries the path, which is not known before the queue pair is connected. */
    private void findPath() {
        path = PathQuery.query(ibverbs, device, port, Memory.getLong(id + VerbsAbi.CmId.QP));
        PathQuery.requireMtu(path, options);
        if (fabric.requiresOrder()) {
            PathQuery.requireOrder(path);
        }
    }

    /** Destroys everything, starting with the queue pair, so that the peer can no longer write. */
    void takeDown() {
        if (resources != null) {
            resources.close();
        }
        if (isProvided) {
            provision.release();
        }
        if (id != 0) {
            manager.destroyId(id);
        }
        if (domain != null) {
            domain.leave();
        }
        if (held != null) {
            held.release();
        }
        if (!isInitiator && !isAccepted) {
            fabric.onAnswered();
        }
    }

    private void require(State expected, String call) {
        if (state != expected) {
            throw new IllegalStateException(
                    call + " requires a connection in state " + expected + ", but it is " + state);
        }
    }

    private static byte[] checkedAnswer(byte[] answer) {
        if (answer.length > MAX_ANSWER_LENGTH) {
            throw new IllegalArgumentException(
                    "the private data of an answer must have at most "
                            + MAX_ANSWER_LENGTH
                            + " bytes, but has "
                            + answer.length);
        }
        return answer;
    }
}
