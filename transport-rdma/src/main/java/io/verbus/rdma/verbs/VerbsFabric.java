// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.calls.Calls;
import io.verbus.rdma.calls.Lane;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.DeviceSubnets;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.Provision;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The RDMA devices of this host through libibverbs and librdmacm. Used by the conductor's thread
 * except where noted. Calls that a device or a peer can delay run in {@link Calls}.
 */
public final class VerbsFabric implements Fabric {
    private static final int MAX_EVENTS_PER_POLL = 16;
    private static final int MAX_REQUEST_LENGTH = 56;
    private static final int MAX_RESULTS_PER_POLL = 64;

    /** Maximum number of unanswered connection requests; further requests are closed on arrival. */
    private static final int MAX_REQUESTS = 256;

    /** Maximum number of events per read. */
    private static final int MAX_EVENTS_PER_READ = 64;

    /**
     * Maximum time for which a closing driver waits for its queue pairs to be destroyed, and then
     * again for all other calls that a device or a peer delays.
     */
    private static final long CLOSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    private static final long CLOSE_CHECK_INTERVAL_NS = TimeUnit.MICROSECONDS.toNanos(100);

    /**
     * Interval between checks for events, each of which is a system call that rarely finds an
     * event.
     */
    private static final long EVENT_CHECK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long DEVICE_CHECK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Ibverbs ibverbs;
    private final ConnectionManager manager;
    private final ErrorHandler errors;
    private final Calls calls;
    private final Lane reading;

    /** Written by the thread that reads events; read by the conductor. */
    private final Queue<CmEvent> arrived = new ManyToOneConcurrentLinkedQueue<>();

    private final AtomicInteger requests = new AtomicInteger();
    private final Set<VerbsConnection> connections = new LinkedHashSet<>();
    private final VerbsListeners listeners;
    private final HeldDevices devices;

    /** Modified by any thread. */
    private final Set<ProtectionDomain> domains = ConcurrentHashMap.newKeySet();

    private final AsyncEvents.Handler deviceEvents = this::on;
    private FabricHandler handler;
    private boolean isReading;
    private long nextEventCheckNs = System.nanoTime();
    private long nextDeviceCheckNs = nextEventCheckNs;
    private final boolean requiresOrder;
    private boolean closed;

    private VerbsFabric(
            Ibverbs ibverbs,
            ConnectionManager manager,
            ErrorHandler errors,
            boolean requiresOrder) {
        this.requiresOrder = requiresOrder;
        this.ibverbs = ibverbs;
        this.manager = manager;
        this.errors = errors;
        devices = new HeldDevices(ibverbs, manager);
        calls = new Calls("verbus-rdma-calls", errors);
        reading = calls.lane();
        listeners = new VerbsListeners(manager, calls, errors);
    }

    /**
     * Loads and links the required functions, which is slow the first time in a process. Also lists
     * the devices, any of which can delay the call. Thread-safe.
     *
     * @throws VerbsException if there is no library, no usable device, or no permission.
     */
    public static void prepare() {
        DataPathCalls.link();
        open(refused -> {
                    // Nothing to release: no resource was created.
                })
                .close();
    }

    /**
     * Opens the fabric after listing the devices, any of which can delay the call.
     *
     * @param errors handler for failures to release resources; the release continues in any case.
     * @throws VerbsException as {@link #prepare} does.
     */
    public static VerbsFabric open(ErrorHandler errors) {
        requirePlatform(System.getProperty("os.arch"), ByteOrder.nativeOrder());
        Ibverbs ibverbs = Ibverbs.open();
        Rdmacm rdmacm = Rdmacm.open();
        requireDevice(Devices.names(ibverbs));
        return new VerbsFabric(ibverbs, new ConnectionManager(rdmacm, errors), errors, false);
    }

    /**
     * Opens the fabric after {@link #prepare}, without waiting for a device.
     *
     * @param errors handler for failures to release resources; the release continues in any case.
     * @param requiresOrder whether to fail connections whose adapter may place writes out of order.
     * @throws VerbsException if there is no library, or no permission.
     */
    public static VerbsFabric openPrepared(ErrorHandler errors, boolean requiresOrder) {
        requirePlatform(System.getProperty("os.arch"), ByteOrder.nativeOrder());
        Ibverbs ibverbs = Ibverbs.open();
        return new VerbsFabric(
                ibverbs, new ConnectionManager(Rdmacm.open(), errors), errors, requiresOrder);
    }

    @Override
    public Listener listen(InetSocketAddress localAddress, ConnectionOptions options) {
        requireOpen();
        require(options);
        requireResolved(localAddress);
        return listeners.add(localAddress, options);
    }

    @Override
    public Connection connect(
            InetSocketAddress remoteAddress,
            InetSocketAddress localAddress,
            ConnectionOptions options,
            Domain domain,
            byte[] privateData,
            Provision provision) {
        requireOpen();
        require(options);
        requireResolved(remoteAddress);
        if (localAddress != null) {
            requireResolved(localAddress);
        }
        if (privateData.length > MAX_REQUEST_LENGTH) {
            throw new IllegalArgumentException(
                    "the private data of a connection request must have at most "
                            + MAX_REQUEST_LENGTH
                            + " bytes, but has "
                            + privateData.length);
        }
        VerbsConnection connection =
                new VerbsConnection(
                        this,
                        ibverbs,
                        manager,
                        calls.lane(),
                        options,
                        remoteAddress,
                        (ProtectionDomain) domain,
                        privateData.clone(),
                        provision);
        connections.add(connection);
        connection.begin(localAddress);
        return connection;
    }

    @Override
    public int prefixLength(InetAddress localAddress) {
        return DeviceSubnets.prefixLength(localAddress);
    }

    @Override
    public int poll(FabricHandler told, long nowNs) {
        requireOpen();
        handler = told;
        int count = calls.tell(MAX_RESULTS_PER_POLL);
        CmEvent event;
        for (int i = 0; i < MAX_EVENTS_PER_POLL && (event = arrived.poll()) != null; i++) {
            count++;
            dispatch(event);
        }
        if (nowNs - nextEventCheckNs >= 0) {
            nextEventCheckNs = nowNs + EVENT_CHECK_INTERVAL_NS;
            if (!isReading && manager.hasEvent()) {
                isReading = true;
                reading.call("rdma_get_cm_event", this::readEvents, this::onRead);
            }
            count += checkDevices(nowNs);
        }
        return count;
    }

    private void readEvents() {
        CmEvent event;
        for (int i = 0;
                i < MAX_EVENTS_PER_READ && (event = manager.nextEvent(this::request)) != null;
                i++) {
            arrived.add(event);
        }
    }

    /**
     * Creates the connection for a request. Returns null if there are too many requests. Called by
     * the thread that reads events.
     */
    private VerbsConnection request(VerbsListener listener, long id) {
        if (requests.incrementAndGet() > MAX_REQUESTS) {
            requests.decrementAndGet();
            return null;
        }
        return new VerbsConnection(this, ibverbs, manager, calls.lane(), listener.options(), id);
    }

    private void onRead(RuntimeException failure) {
        isReading = false;
        tellFailure(failure);
    }

    void tellFailure(RuntimeException failure) {
        if (failure != null) {
            errors.onError(failure);
        }
    }

    @Override
    public void cutOff() {
        new ArrayList<>(connections).forEach(VerbsConnection::close);
        boolean isInterrupted = false;
        long deadlineNs = System.nanoTime() + CLOSE_TIMEOUT_NS;
        while (domains.stream().anyMatch(ProtectionDomain::isInUse)
                && System.nanoTime() - deadlineNs < 0) {
            LockSupport.parkNanos(CLOSE_CHECK_INTERVAL_NS);
            isInterrupted |= Thread.interrupted();
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        new ArrayList<>(connections).forEach(VerbsConnection::close);
        listeners.close();
        List<String> held = calls.finish(this::release, CLOSE_TIMEOUT_NS);
        if (!held.isEmpty()) {
            errors.onError(
                    new VerbsException(
                            "calls to the RDMA device have not returned, so the driver's resources"
                                    + " remain on the device ("
                                    + String.join(", ", held)
                                    + "): see the kernel's log"));
        }
    }

    /** Releases the remaining resources. Runs after all other calls of {@link #close}. */
    private void release() {
        CmEvent unseen;
        while ((unseen = arrived.poll()) != null) {
            if (unseen.listener() != null) {
                ((VerbsConnection) unseen.owner()).takeDown();
            }
        }
        domains.forEach(ProtectionDomain::releaseWithRegions);
        devices.releaseAll();
        manager.close();
    }

    /** Returns the handler of the last poll. */
    FabricHandler handler() {
        return handler;
    }

    /** Returns the device of an id's context, held and retained once. Thread-safe. */
    HeldDevices.Held device(long context, InetSocketAddress localAddress) {
        return devices.of(context, localAddress);
    }

    /**
     * Creates a domain on a retained device, and retains the domain for one connection.
     * Thread-safe.
     */
    ProtectionDomain createDomain(HeldDevices.Held held) {
        ProtectionDomain domain =
                new ProtectionDomain(
                        ibverbs,
                        held.device(),
                        calls.lane(),
                        released -> {
                            domains.remove(released);
                            held.release();
                        },
                        errors);
        held.retain();
        domains.add(domain);
        return domain;
    }

    /**
     * Counts a connection request as no longer pending: it was answered, or its connection is gone.
     * Thread-safe.
     */
    void onAnswered() {
        requests.decrementAndGet();
    }

    boolean requiresOrder() {
        return requiresOrder;
    }

    ErrorHandler errors() {
        return errors;
    }

    void forget(VerbsConnection connection) {
        connections.remove(connection);
    }

    private void dispatch(CmEvent event) {
        switch (event.owner()) {
            case VerbsConnection connection -> {
                if (event.listener() == null) {
                    connection.onEvent(event);
                } else {
                    onConnectRequest(event.listener(), connection, event.privateData());
                }
            }
            case VerbsListener listener -> listeners.onEvent(listener, event.type(), handler);
            case HeldDevices.Held held -> {
                if (event.type() == VerbsAbi.RDMA_CM_EVENT_DEVICE_REMOVAL) {
                    held.lost();
                    onGone(held.device());
                }
            }
            default ->
                    throw new IllegalStateException(
                            "received an event for an unknown owner: " + event.owner());
        }
    }

    private void onConnectRequest(
            VerbsListener listener, VerbsConnection connection, byte[] privateData) {
        connections.add(connection);
        listener.onListening();
        if (listener.isClosed()) {
            connection.close();
        } else {
            handler.onConnectRequest(listener, connection, connection.remoteAddress(), privateData);
        }
    }

    private void onGone(Device device) {
        if (device != null) {
            end(device, 0, 0, "the RDMA device " + device.name() + " was removed");
        }
    }

    /** Ends the connections that use a device. */
    private void end(Device device, int port, long queue, String reason) {
        for (VerbsConnection connection : new ArrayList<>(connections)) {
            if (connection.concernedBy(device, port, queue)) {
                connection.onDeviceError(reason);
            }
        }
    }

    private int checkDevices(long nowNs) {
        if (nowNs - nextDeviceCheckNs < 0) {
            return 0;
        }
        nextDeviceCheckNs = nowNs + DEVICE_CHECK_INTERVAL_NS;
        int count = 0;
        List<HeldDevices.Held> all = devices.all();
        for (int i = all.size() - 1; i >= 0; i--) {
            HeldDevices.Held held = all.get(i);
            Device device = held.device();
            if (!device.isGone()) {
                count += held.events().read(deviceEvents);
            } else if (held.isOver()) {
                devices.forget(held);
                reading.call(
                        "the end of " + device.name(),
                        () -> devices.release(held),
                        this::tellFailure);
            }
        }
        listeners.listenAgain(nowNs);
        return count;
    }

    private void on(AsyncEvents.DeviceEvent event, Device device) {
        switch (event.kind()) {
            case FATAL -> {
                device.lost();
                end(device, 0, 0, event.text());
            }
            case ERROR -> end(device, event.port(), event.queue(), event.text());
            case NOTICE -> errors.onError(new VerbsException(event.text()));
            case DATA_CAME -> {
                for (VerbsConnection connection : connections) {
                    if (connection.concernedBy(device, 0, event.queue())) {
                        connection.onDataBeforeEstablished();
                    }
                }
            }
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the fabric is closed");
        }
    }

    static void requirePlatform(String architecture, ByteOrder order) {
        boolean known = architecture.equals("amd64") || architecture.equals("aarch64");
        if (!known || order != ByteOrder.LITTLE_ENDIAN) {
            throw new VerbsException(
                    "RDMA verbs are supported on little-endian x86-64 and aarch64, but this "
                            + "JVM runs on "
                            + architecture
                            + " ("
                            + order
                            + "): use another machine");
        }
    }

    static void requireDevice(List<Devices.Listed> devices) {
        if (devices.isEmpty()) {
            throw new VerbsException(
                    "this host has no RDMA device: load the driver of its RDMA NIC, or create a "
                            + "software device with `modprobe rdma_rxe && rdma link add rxe0 type"
                            + " rxe netdev INTERFACE`");
        }
        if (devices.stream().noneMatch(device -> device.transport().ordered())) {
            throw unordered(devices.getFirst().name());
        }
    }

    /** Creates the exception for a device that would corrupt remote logs. */
    static VerbsException unordered(String device) {
        return new VerbsException(
                "RDMA device "
                        + device
                        + " may reorder writes (as EFA's SRD does), but remote logs need them in"
                        + " order: use an InfiniBand, RoCE or iWARP device, or the UDP transport");
    }

    private static void require(ConnectionOptions options) {
        requireRange("messageLength", options.messageLength(), 1, 1 << 20);
        requireRange("maxInline", options.maxInline(), 0, 1 << 12);
        requireRange("retryCount", options.retryCount(), 0, 6);
        requireRange("rnrRetryCount", options.rnrRetryCount(), 0, 7);
        requireRange("ackTimeout", options.ackTimeout(), 1, 31);
        requireRange("trafficClass", options.trafficClass(), ConnectionOptions.ANY, 255);
    }

    private static void requireRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    "%s must be between %d and %d, but was %d".formatted(name, min, max, value));
        }
    }

    private static void requireResolved(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new FabricException(
                    "host name '"
                            + address.getHostString()
                            + "' cannot be resolved: use an address, or a name that resolves");
        }
    }
}
