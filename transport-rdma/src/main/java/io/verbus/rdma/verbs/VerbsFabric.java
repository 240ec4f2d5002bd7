// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.DeviceSubnets;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricException;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;

import org.agrona.ErrorHandler;
import org.agrona.collections.Long2ObjectHashMap;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The RDMA devices of this host through libibverbs and librdmacm. Conductor's thread only. */
public final class VerbsFabric implements Fabric {
    private static final int MAX_EVENTS_PER_POLL = 16;
    private static final int MAX_REQUEST_LENGTH = 56;

    /**
     * Reading events is a system call, found to be empty but for a few times in a driver's life.
     */
    private static final long EVENT_CHECK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long DEVICE_CHECK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Ibverbs ibverbs;
    private final ConnectionManager manager;
    private final ErrorHandler errors;
    private final Long2ObjectHashMap<VerbsConnection> connections = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<VerbsListener> listeners = new Long2ObjectHashMap<>();

    /** Those whose device was removed, until it comes back. */
    private final List<VerbsListener> lostListeners = new ArrayList<>();

    private final HeldDevices devices;
    private final List<ProtectionDomain> domains = new ArrayList<>();
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
    }

    /**
     * Loads and links what a fabric calls, which takes long the first time in a process. Any
     * thread.
     *
     * @throws VerbsException as {@link #open} does.
     */
    public static void prepare() {
        DataPathCalls.link();
        open(refused -> {
                    // Nothing was made that could stay.
                })
                .close();
    }

    /**
     * Opens the fabric.
     *
     * @param errors is told what a device does not take back: taking down goes on all the same, so
     *     that nothing stands half.
     * @throws VerbsException if there is no library, no usable device, or no permission.
     */
    public static VerbsFabric open(ErrorHandler errors) {
        return open(errors, false);
    }

    /**
     * Opens the fabric.
     *
     * @param errors is told what a device does not take back.
     * @param requiresOrder whether connections fail whose adapter may place writes out of order.
     * @throws VerbsException as {@link #open(ErrorHandler)} does.
     */
    public static VerbsFabric open(ErrorHandler errors, boolean requiresOrder) {
        requirePlatform(System.getProperty("os.arch"), ByteOrder.nativeOrder());
        Ibverbs ibverbs = Ibverbs.open();
        Rdmacm rdmacm = Rdmacm.open();
        requireDevice(Devices.names(ibverbs));
        return new VerbsFabric(
                ibverbs, new ConnectionManager(rdmacm, errors), errors, requiresOrder);
    }

    @Override
    public Listener listen(InetSocketAddress localAddress, ConnectionOptions options) {
        requireOpen();
        require(options);
        requireResolved(localAddress);
        VerbsListener listener = new VerbsListener(this, manager, localAddress, options);
        listeners.put(listener.id(), listener);
        return listener;
    }

    @Override
    public Connection connect(
            InetSocketAddress remoteAddress,
            InetSocketAddress localAddress,
            ConnectionOptions options,
            Domain domain,
            byte[] privateData) {
        requireOpen();
        require(options);
        requireResolved(remoteAddress);
        if (localAddress != null) {
            requireResolved(localAddress);
        }
        if (privateData.length > MAX_REQUEST_LENGTH) {
            throw new IllegalArgumentException(
                    privateData.length + " bytes of private data: at most " + MAX_REQUEST_LENGTH);
        }
        long id = manager.createId();
        try {
            manager.resolveAddress(id, localAddress, remoteAddress);
        } catch (VerbsException refused) {
            manager.destroyId(id);
            throw refused;
        }
        VerbsConnection connection =
                VerbsConnection.initiating(
                        this,
                        ibverbs,
                        manager,
                        id,
                        options,
                        remoteAddress,
                        (ProtectionDomain) domain,
                        privateData.clone());
        connections.put(id, connection);
        return connection;
    }

    @Override
    public int prefixLength(InetAddress localAddress) {
        return DeviceSubnets.prefixLength(localAddress);
    }

    @Override
    public int poll(FabricHandler handler, long nowNs) {
        requireOpen();
        if (nowNs - nextEventCheckNs < 0) {
            return 0;
        }
        int count = 0;
        CmEvent event;
        while (count < MAX_EVENTS_PER_POLL && (event = manager.nextEvent()) != null) {
            count++;
            dispatch(event, handler);
            if (event.makesQueuePair()) {
                break; // which takes long: the next is handled in the next cycle
            }
        }
        if (count == 0) {
            nextEventCheckNs = nowNs + EVENT_CHECK_INTERVAL_NS;
        }
        return count + checkDevices(handler, nowNs);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        new ArrayList<>(connections.values()).forEach(VerbsConnection::close);
        new ArrayList<>(listeners.values()).forEach(VerbsListener::close);
        lostListeners.clear();
        domains.forEach(ProtectionDomain::closeWithRegions);
        domains.clear();
        devices.releaseAll();
        manager.close();
    }

    /** The device behind the context of an id, which is held and watched from now on. */
    Device device(long context, InetSocketAddress localAddress) {
        return devices.of(context, localAddress);
    }

    ProtectionDomain createDomain(Device device) {
        domains.removeIf(ProtectionDomain::isClosed);
        ProtectionDomain domain = new ProtectionDomain(ibverbs, device, errors);
        domains.add(domain);
        return domain;
    }

    boolean requiresOrder() {
        return requiresOrder;
    }

    ErrorHandler errors() {
        return errors;
    }

    void forget(VerbsConnection connection) {
        connections.remove(connection.id());
    }

    void forget(VerbsListener listener) {
        listeners.remove(listener.id());
        lostListeners.remove(listener);
    }

    private void dispatch(CmEvent event, FabricHandler handler) {
        if (event.type() == VerbsAbi.RDMA_CM_EVENT_CONNECT_REQUEST) {
            onConnectRequest(event, handler);
            return;
        }
        VerbsConnection connection = connections.get(event.id());
        if (connection != null) {
            connection.onEvent(event, handler);
            return;
        }
        Device device = devices.heldBy(event.id());
        if (device != null && event.type() == VerbsAbi.RDMA_CM_EVENT_DEVICE_REMOVAL) {
            onGone(device, "the RDMA device " + device.name() + " was removed", handler);
        }
        VerbsListener listener = listeners.get(event.id());
        if (listener != null) {
            onListenerEvent(listener, event.type(), handler);
        }
    }

    /** What it was bound to is no more: it begins anew, and waits for the device if it must. */
    private void onListenerEvent(VerbsListener listener, int type, FabricHandler handler) {
        String reason =
                switch (type) {
                    case VerbsAbi.RDMA_CM_EVENT_DEVICE_REMOVAL -> "its RDMA device was removed";
                    case VerbsAbi.RDMA_CM_EVENT_ADDR_CHANGE ->
                            "its address has moved to another port, as a bond's does that fails"
                                    + " over";
                    default -> null;
                };
        if (reason != null) {
            listeners.remove(listener.id());
            listener.stop();
            lostListeners.add(listener);
            handler.onListenerLost(listener, reason);
        }
    }

    /** Ends what uses a device: its queue pairs are destroyed already. */
    private void onGone(Device device, String reason, FabricHandler handler) {
        device.lost();
        endConnections(device, 0, 0, reason, handler);
    }

    private void endConnections(
            Device device, int port, long queue, String reason, FabricHandler handler) {
        for (VerbsConnection connection : new ArrayList<>(connections.values())) {
            if (connection.concernedBy(device, port, queue)) {
                connection.onDeviceError(reason, handler);
            }
        }
    }

    private boolean isUsed(Device device) {
        for (VerbsConnection connection : connections.values()) {
            if (connection.concernedBy(device, 0, 0)) {
                return true;
            }
        }
        domains.removeIf(ProtectionDomain::isClosed);
        for (ProtectionDomain domain : domains) {
            if (domain.isOf(device)) {
                return true;
            }
        }
        return false;
    }

    private void onConnectRequest(CmEvent event, FabricHandler handler) {
        VerbsListener listener = listeners.get(event.listenId());
        if (listener == null) {
            manager.destroyId(event.id());
            return;
        }
        VerbsConnection connection =
                VerbsConnection.requested(this, ibverbs, manager, event.id(), listener.options());
        connections.put(event.id(), connection);
        handler.onConnectRequest(
                listener, connection, connection.remoteAddress(), event.privateData());
    }

    private int checkDevices(FabricHandler handler, long nowNs) {
        if (nowNs - nextDeviceCheckNs < 0) {
            return 0;
        }
        nextDeviceCheckNs = nowNs + DEVICE_CHECK_INTERVAL_NS;
        int count = 0;
        for (HeldDevices.Held held : devices.all()) {
            AsyncEvents.DeviceEvent event = held.device().isGone() ? null : held.events().next();
            if (event != null) {
                count++;
                on(event, held.device(), handler);
            }
        }
        devices.releaseGone(this::isUsed);
        return count + listenAgain(handler, nowNs);
    }

    private void on(AsyncEvents.DeviceEvent event, Device device, FabricHandler handler) {
        switch (event.kind()) {
            case FATAL -> onGone(device, event.text(), handler);
            case ERROR ->
                    endConnections(device, event.port(), event.queue(), event.text(), handler);
            case NOTICE -> errors.onError(new VerbsException(event.text()));
            case DATA_CAME -> {
                for (VerbsConnection connection : connections.values()) {
                    if (connection.concernedBy(device, 0, event.queue())) {
                        connection.onDataBeforeEstablished();
                    }
                }
            }
        }
    }

    private int listenAgain(FabricHandler handler, long nowNs) {
        int count = 0;
        for (int i = lostListeners.size() - 1; i >= 0; i--) {
            VerbsListener listener = lostListeners.get(i);
            if (listener.listenAgain(nowNs)) {
                lostListeners.remove(i);
                listeners.put(listener.id(), listener);
                handler.onListenerBack(listener);
                count++;
            }
        }
        return count;
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
                    "RDMA verbs are bound for little-endian x86-64 and aarch64, and this JVM runs"
                            + " on "
                            + architecture
                            + " ("
                            + order
                            + "): use another machine");
        }
    }

    static void requireDevice(List<Devices.Listed> devices) {
        if (devices.isEmpty()) {
            throw new VerbsException(
                    "this host has no RDMA device: load the driver of its RDMA NIC, or make a"
                            + " software device with `modprobe rdma_rxe && rdma link add rxe0 type"
                            + " rxe netdev INTERFACE`");
        }
        if (devices.stream().noneMatch(device -> device.transport().ordered())) {
            throw unordered(String.join(", ", devices.stream().map(Devices.Listed::name).toList()));
        }
    }

    /** Refusal of a device that would tear the remote log. */
    static VerbsException unordered(String device) {
        return new VerbsException(
                "the RDMA device "
                        + device
                        + " does not keep writes in order (such as EFA's SRD), which a remote log"
                        + " rests on: use an InfiniBand, RoCE or iWARP device, or the UDP"
                        + " transport");
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
                    "%s=%d: must be %d to %d".formatted(name, value, min, max));
        }
    }

    private static void requireResolved(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new FabricException(
                    "the host "
                            + address.getHostString()
                            + " is not known: give an address, or a name that resolves");
        }
    }
}
