// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Domain;
import io.verbus.rdma.fabric.Fabric;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.rdma.fabric.PathInfo;
import io.verbus.rdma.fabric.Provision;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** The simulated fabric of one host. */
public final class SimFabric implements Fabric {
    private static final int REQUEST_LENGTH = 56;

    private record Event(SimConnection connection, Consumer<FabricHandler> delivery) {}

    private final SimNetwork network;
    private final String hostAddress;
    private final List<Event> events = new ArrayList<>();
    private final List<SimConnection> connections = new ArrayList<>();

    /** Connections that are not closed. */
    private final List<SimDomain> domains = new ArrayList<>();

    private BiConsumer<Runnable, Consumer<RuntimeException>> calls =
            (work, then) -> then.accept(failureOf(work));

    private final List<SimListener> opening = new ArrayList<>();
    private boolean isListeningDelayed;
    private boolean isDeviceReplaced;
    private String registrationRefusal;
    private boolean isClosed;
    private ConnectionOptions lastOptions;
    private InetSocketAddress lastSource;
    private PathInfo path =
            new PathInfo(
                    "sim0",
                    1,
                    false,
                    PathAdvice.ETHERNET,
                    "eth0",
                    PathAdvice.ROCE_V2,
                    null,
                    4096,
                    4096,
                    0,
                    14,
                    6,
                    7,
                    PathInfo.Order.KEPT);

    private int prefixLength = 8;

    SimFabric(SimNetwork network, String hostAddress) {
        this.network = network;
        this.hostAddress = hostAddress;
    }

    SimNetwork network() {
        return network;
    }

    /** Executor of the calls of domains; null executes them at once. */
    void callsBy(BiConsumer<Runnable, Consumer<RuntimeException>> maker) {
        calls = maker;
    }

    /** Makes a call; returns the exception it throws, or null. */
    static RuntimeException failureOf(Runnable work) {
        try {
            work.run();
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** Reported in a later poll. */
    void later(Runnable then) {
        events.add(new Event(null, handler -> then.run()));
    }

    /** Path that all connections of this host report. */
    PathInfo path() {
        return path;
    }

    void path(PathInfo all) {
        path = all;
    }

    /** Options with which the last connection of this host was started. */
    ConnectionOptions lastOptions() {
        return lastOptions;
    }

    /** Source address of the last connection of this host; null lets the route decide. */
    InetSocketAddress lastSource() {
        return lastSource;
    }

    /** Connections of this host that are not closed. */
    public List<SimConnection> connections() {
        return List.copyOf(connections);
    }

    @Override
    public Listener listen(InetSocketAddress localAddress, ConnectionOptions options) {
        SimListener listener = new SimListener(this, localAddress, options);
        if (isListeningDelayed) {
            opening.add(listener);
        } else {
            listener.open();
        }
        return listener;
    }

    /** Delays listening from now on, until {@link #listen()}. */
    void delayListening() {
        isListeningDelayed = true;
    }

    /** Opens the delayed listeners in a later poll. */
    void listen() {
        isListeningDelayed = false;
        opening.forEach(listener -> later(listener::open));
        opening.clear();
    }

    @Override
    public int prefixLength(InetAddress localAddress) {
        return prefixLength;
    }

    /** Prefix length of this host's addresses. */
    public void prefixLength(int bits) {
        prefixLength = bits;
    }

    @Override
    public SimConnection connect(
            InetSocketAddress remoteAddress,
            InetSocketAddress localAddress,
            ConnectionOptions options,
            Domain domain,
            byte[] privateData) {
        return connect(remoteAddress, localAddress, options, domain, privateData, Provision.NONE);
    }

    @Override
    public SimConnection connect(
            InetSocketAddress remoteAddress,
            InetSocketAddress localAddress,
            ConnectionOptions options,
            Domain domain,
            byte[] privateData,
            Provision provision) {
        if (privateData.length > REQUEST_LENGTH) {
            throw new AssertionError(privateData.length + " bytes of private data");
        }
        lastOptions = options;
        lastSource = localAddress;
        SimDomain mine = domain == null || isDeviceReplaced ? newDomain() : (SimDomain) domain;
        isDeviceReplaced = false;
        InetSocketAddress local = new InetSocketAddress(hostAddress, network.nextPort());
        SimConnection initiating =
                new SimConnection(this, local, remoteAddress, mine, queuePair(mine, options));
        connections.add(initiating);
        if (!initiating.provide(provision)) {
            return initiating;
        }
        SimListener listener = listener(remoteAddress);
        if (network.isWireCut()) {
            ended(initiating, Cause.UNREACHABLE, "no answer of " + remoteAddress, new byte[0]);
        } else if (listener == null) {
            ended(initiating, Cause.REJECTED, "nothing listens at " + remoteAddress, new byte[0]);
        } else {
            listener.fabric().request(listener, initiating, local, privateData);
        }
        return initiating;
    }

    /** The listener at an address, or at all addresses of its host; or null. */
    private SimListener listener(InetSocketAddress address) {
        SimListener listener = network.listeners().get(address);
        InetSocketAddress any = new InetSocketAddress("0.0.0.0", address.getPort());
        SimListener everywhere = network.listeners().get(any);
        boolean isHost =
                everywhere != null
                        && everywhere
                                .fabric()
                                .hostAddress
                                .equals(address.getAddress().getHostAddress());
        return listener == null && isHost ? everywhere : listener;
    }

    private void request(
            SimListener listener,
            SimConnection initiating,
            InetSocketAddress source,
            byte[] privateData) {
        SimDomain domain = newDomain();
        SimConnection incoming =
                new SimConnection(
                        this,
                        initiating.remoteAddress(),
                        source,
                        domain,
                        queuePair(domain, listener.options()));
        incoming.peer(initiating);
        initiating.peer(incoming);
        connections.add(incoming);
        byte[] padded = network.tamperedHello(Arrays.copyOf(privateData, REQUEST_LENGTH));
        events.add(
                new Event(
                        incoming,
                        handler -> handler.onConnectRequest(listener, incoming, source, padded)));
    }

    private SimDomain newDomain() {
        SimDomain domain = new SimDomain(network, (work, then) -> calls.accept(work, then));
        domain.refuse(registrationRefusal);
        domains.removeIf(SimDomain::isClosed);
        domains.add(domain);
        return domain;
    }

    /** Puts the next connection on another device, where no domain can be reused. */
    void replaceDevice() {
        isDeviceReplaced = true;
    }

    /** Regions that are registered in any domain. */
    int regions() {
        return domains.stream().mapToInt(SimDomain::regions).sum();
    }

    /** Whether a byte is registered in any domain. */
    boolean isRegistered(long address) {
        return domains.stream().anyMatch(domain -> domain.isRegistered(address));
    }

    /** Open domains. */
    int domains() {
        domains.removeIf(SimDomain::isClosed);
        return domains.size();
    }

    /** Makes registrations in new domains fail with this text; null makes them succeed again. */
    public void refuseRegistrations(String words) {
        registrationRefusal = words;
    }

    private SimQueuePair queuePair(SimDomain domain, ConnectionOptions options) {
        int[] inlines = {0, 8, 16, 64};
        return new SimQueuePair(
                network,
                domain,
                options.sendDepth(),
                inlines[network.random().nextInt(inlines.length)],
                options.receiveDepth());
    }

    /** Kills the process: it stops listening, and its peers are notified. */
    void crash() {
        network.listeners().values().removeIf(listener -> listener.fabric() == this);
        for (SimConnection connection : connections) {
            connection.sim().cutIfConnected();
            if (connection.peer() != null) {
                connection.peer().tellEnd("the peer ended the connection, or its process died");
            }
        }
    }

    void established(SimConnection connection, byte[] privateData) {
        events.add(
                new Event(connection, handler -> handler.onEstablished(connection, privateData)));
    }

    void ended(SimConnection connection, Cause cause, String reason, byte[] privateData) {
        events.add(
                new Event(
                        connection,
                        handler -> handler.onEnded(connection, cause, reason, privateData)));
    }

    void forget(SimConnection connection) {
        connections.remove(connection);
        events.removeIf(event -> event.connection == connection);
    }

    /** Delivers the events in order, a random number at a time. */
    @Override
    public int poll(FabricHandler handler, long nowNs) {
        int count = 0;
        while (!events.isEmpty() && network.random().nextInt(4) != 0) {
            events.removeFirst().delivery().accept(handler);
            count++;
        }
        return count;
    }

    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public void cutOff() {
        for (Connection connection : List.copyOf(connections)) {
            connection.close();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        for (Connection connection : List.copyOf(connections)) {
            connection.close();
        }
    }
}
