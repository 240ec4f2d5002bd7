// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.PathInfo;
import io.verbus.rdma.fabric.QueuePair;

import java.net.InetSocketAddress;

/**
 * A connection and where it stands. Conductor's thread only.
 *
 * <pre>
 *   initiating:  RESOLVING --> ROUTING --> CONNECTING --+
 *                                                       +--> ESTABLISHED --> ENDED
 *   accepting:   REQUESTED --> ACCEPTED ----------------+
 * </pre>
 *
 * <p>Every state leads to ENDED, which is told once, and to CLOSED.
 */
final class VerbsConnection implements Connection {
    private static final int MAX_ANSWER_LENGTH = 128;
    private static final byte[] NO_DATA = {};

    private final VerbsFabric fabric;
    private final Ibverbs ibverbs;
    private final ConnectionManager manager;
    private final long id;
    private final ConnectionOptions options;
    private final byte[] privateData;
    private final InetSocketAddress remoteAddress;
    private State state;
    private Device device;
    private ProtectionDomain domain;
    private QueuePairResources resources;
    private PathInfo path;

    private enum State {
        RESOLVING,
        ROUTING,
        CONNECTING,
        REQUESTED,
        ACCEPTED,
        ESTABLISHED,
        ENDED,
        CLOSED
    }

    private VerbsConnection(
            VerbsFabric fabric,
            Ibverbs ibverbs,
            ConnectionManager manager,
            long id,
            ConnectionOptions options,
            InetSocketAddress remoteAddress,
            ProtectionDomain domain,
            byte[] privateData,
            State state) {
        this.fabric = fabric;
        this.ibverbs = ibverbs;
        this.manager = manager;
        this.id = id;
        this.options = options;
        this.remoteAddress = remoteAddress;
        this.domain = domain;
        this.privateData = privateData;
        this.state = state;
    }

    /** One that this side begins; the address is still to be resolved. */
    static VerbsConnection initiating(
            VerbsFabric fabric,
            Ibverbs ibverbs,
            ConnectionManager manager,
            long id,
            ConnectionOptions options,
            InetSocketAddress remoteAddress,
            ProtectionDomain domain,
            byte[] privateData) {
        return new VerbsConnection(
                fabric,
                ibverbs,
                manager,
                id,
                options,
                remoteAddress,
                domain,
                privateData,
                State.RESOLVING);
    }

    /** One that a peer asks for; {@link #prepare()} is to follow. */
    static VerbsConnection requested(
            VerbsFabric fabric,
            Ibverbs ibverbs,
            ConnectionManager manager,
            long id,
            ConnectionOptions options) {
        return new VerbsConnection(
                fabric,
                ibverbs,
                manager,
                id,
                options,
                manager.remoteAddress(id),
                null,
                NO_DATA,
                State.REQUESTED);
    }

    long id() {
        return id;
    }

    @Override
    public QueuePair queuePair() {
        return resources == null ? null : resources.queuePair();
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
        return state == State.CLOSED ? null : manager.localAddress(id);
    }

    @Override
    public void accept(byte[] answer) {
        require(State.REQUESTED, "accept");
        if (resources == null) {
            prepare();
        }
        manager.accept(id, options, checkedAnswer(answer));
        state = State.ACCEPTED;
        findPath();
    }

    @Override
    public PathInfo path() {
        return path;
    }

    @Override
    public void reject(byte[] answer) {
        require(State.REQUESTED, "reject");
        manager.reject(id, checkedAnswer(answer));
        close();
    }

    /** Also where the peer has left: the queue pair takes messages until it is told to stop. */
    @Override
    public void stop() {
        boolean isOpen =
                state == State.ESTABLISHED || state == State.ACCEPTED || state == State.ENDED;
        if (isOpen && device != null && !device.isGone()) {
            manager.disconnect(id);
        }
    }

    @Override
    public void close() {
        if (state == State.CLOSED) {
            return;
        }
        boolean leave = state == State.ESTABLISHED || state == State.ACCEPTED;
        state = State.CLOSED;
        fabric.forget(this);
        if (leave && !device.isGone()) {
            manager.disconnect(id);
        }
        if (resources != null) {
            resources.close();
        }
        manager.destroyId(id);
    }

    @Override
    public void prepare() {
        bindToDevice();
        createQueuePair();
    }

    /** Goes on with an event of this connection. */
    void onEvent(CmEvent event, FabricHandler handler) {
        try {
            switch (event.type()) {
                case VerbsAbi.RDMA_CM_EVENT_ADDR_RESOLVED -> onAddressResolved();
                case VerbsAbi.RDMA_CM_EVENT_ROUTE_RESOLVED -> onRouteResolved();
                case VerbsAbi.RDMA_CM_EVENT_ESTABLISHED -> onEstablished(event, handler);
                default -> onEndOrNothing(event, handler);
            }
        } catch (VerbsException failed) {
            end(handler, EndText.of(failed, SocketAddresses.text(remoteAddress)));
        }
    }

    /** The device reports an error of its own that concerns this connection. */
    void onDeviceError(String reason, FabricHandler handler) {
        end(handler, Cause.FAILED, reason, NO_DATA);
    }

    /** The peer's last message of the handshake may be lost; its data tells that it stands. */
    void onDataBeforeEstablished() {
        if (state == State.ACCEPTED) {
            manager.notifyEstablished(id);
        }
    }

    /**
     * Whether an error of a device, of a port of it (0: any), or of a queue (0: any) is its own.
     */
    boolean concernedBy(Device other, int port, long queue) {
        return device == other
                && (port == 0 || manager.port(id) == port)
                && (queue == 0 || resources != null && resources.uses(queue));
    }

    private void onAddressResolved() {
        bindToDevice();
        manager.setAckTimeout(id, options.ackTimeout());
        if (options.trafficClass() != ConnectionOptions.ANY) {
            manager.setTrafficClass(id, options.trafficClass());
        }
        state = State.ROUTING;
        manager.resolveRoute(id);
    }

    private void onRouteResolved() {
        createQueuePair();
        state = State.CONNECTING;
        manager.connect(id, options, privateData);
    }

    private void onEstablished(CmEvent event, FabricHandler handler) {
        boolean initiator = state == State.CONNECTING;
        if (initiator || state == State.ACCEPTED) {
            if (initiator) {
                findPath();
            }
            if (device.transport() != TransportType.IWARP) {
                resources.shortenWait(ibverbs);
            }
            state = State.ESTABLISHED;
            handler.onEstablished(this, initiator ? event.privateData() : NO_DATA);
        }
    }

    private void onEndOrNothing(CmEvent event, FabricHandler handler) {
        EndText.Ending ending = EndText.of(event, SocketAddresses.text(remoteAddress));
        if (ending != null) {
            end(handler, ending);
        }
    }

    private void end(FabricHandler handler, EndText.Ending ending) {
        end(handler, ending.cause(), ending.reason(), ending.privateData());
    }

    private void end(FabricHandler handler, Cause cause, String reason, byte[] answer) {
        if (state != State.ENDED && state != State.CLOSED) {
            state = State.ENDED;
            handler.onEnded(this, cause, reason, answer);
        }
    }

    private void bindToDevice() {
        long context = manager.context(id);
        device = fabric.device(context, manager.localAddress(id));
        if (!device.transport().ordered()) {
            throw VerbsFabric.unordered(device.name());
        }
        PathQuery.requireDevice(
                device.name(),
                options,
                "the connection with " + SocketAddresses.text(remoteAddress));
        if (domain == null || !domain.usableOn(context)) {
            domain = fabric.createDomain(device);
        }
    }

    private void createQueuePair() {
        boolean isInitiator = state != State.REQUESTED;
        if (!isInitiator) {
            manager.setAckTimeout(id, options.ackTimeout());
        }
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

    /** When the queue pair is connected: only then does it know its path. */
    private void findPath() {
        path =
                PathQuery.query(
                        ibverbs, device, manager.port(id), Memory.getLong(id + VerbsAbi.CmId.QP));
        PathQuery.requireMtu(path, options);
        if (fabric.requiresOrder()) {
            PathQuery.requireOrder(path);
        }
    }

    private void require(State expected, String call) {
        if (state != expected) {
            throw new IllegalStateException(
                    call + " of a connection that is " + state + ", not " + expected);
        }
    }

    private static byte[] checkedAnswer(byte[] answer) {
        if (answer.length > MAX_ANSWER_LENGTH) {
            throw new IllegalArgumentException(
                    answer.length + " bytes of private data: at most " + MAX_ANSWER_LENGTH);
        }
        return answer;
    }
}
