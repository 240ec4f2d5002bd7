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
    private final Long2ObjectHashMap<Device> devices = new Long2ObjectHashMap<>();
    private final List<AsyncEvents> asyncEvents = new ArrayList<>();
    private final List<ProtectionDomain> domains = new ArrayList<>();
    private long nextEventCheckNs = System.nanoTime();
    private long nextDeviceCheckNs = nextEventCheckNs;
    private boolean closed;

    private VerbsFabric(Ibverbs ibverbs, ConnectionManager manager, ErrorHandler errors) {
        this.ibverbs = ibverbs;
        this.manager = manager;
        this.errors = errors;
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
        requirePlatform(System.getProperty("os.arch"), ByteOrder.nativeOrder());
        Ibverbs ibverbs = Ibverbs.open();
        Rdmacm rdmacm = Rdmacm.open();
        requireDevice(Devices.names(ibverbs));
        return new VerbsFabric(ibverbs, new ConnectionManager(rdmacm, errors), errors);
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
        domains.forEach(ProtectionDomain::closeWithRegions);
        domains.clear();
        manager.close();
    }

    /** The device behind a context, whose own errors are watched from now on. */
    Device device(long context) {
        Device device = devices.get(context);
        if (device == null) {
            device = new Device(ibverbs, context);
            MappingGuard.cover(ibverbs, device);
            asyncEvents.add(new AsyncEvents(ibverbs, device));
            devices.put(context, device);
        }
        return device;
    }

    ProtectionDomain createDomain(Device device) {
        domains.removeIf(ProtectionDomain::isClosed);
        ProtectionDomain domain = new ProtectionDomain(ibverbs, device, errors);
        domains.add(domain);
        return domain;
    }

    ErrorHandler errors() {
        return errors;
    }

    void forget(VerbsConnection connection) {
        connections.remove(connection.id());
    }

    void forget(VerbsListener listener) {
        listeners.remove(listener.id());
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
        VerbsListener listener = listeners.get(event.id());
        if (listener != null && event.type() == VerbsAbi.RDMA_CM_EVENT_DEVICE_REMOVAL) {
            throw new VerbsException(
                    "the RDMA device that listens at "
                            + SocketAddresses.text(listener.localAddress())
                            + " was removed: put it back and restart the driver");
        }
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
        try {
            connection.prepare();
        } catch (VerbsException failed) {
            connection.abandon();
            handler.onRequestFailed(connection.remoteAddress(), failed.getMessage());
            return;
        }
        handler.onConnectRequest(
                listener, connection, connection.remoteAddress(), event.privateData());
    }

    private int checkDevices(FabricHandler handler, long nowNs) {
        if (nowNs - nextDeviceCheckNs < 0) {
            return 0;
        }
        nextDeviceCheckNs = nowNs + DEVICE_CHECK_INTERVAL_NS;
        int count = 0;
        for (int i = 0; i < asyncEvents.size(); i++) {
            AsyncEvents events = asyncEvents.get(i);
            AsyncEvents.DeviceError error = events.next();
            if (error != null) {
                count++;
                long context = events.device().context();
                for (VerbsConnection connection : new ArrayList<>(connections.values())) {
                    if (connection.concernedBy(context, error.port(), error.queue())) {
                        connection.onDeviceError(error.reason(), handler);
                    }
                }
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
