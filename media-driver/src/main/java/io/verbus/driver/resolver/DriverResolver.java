// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.resolver;

import io.verbus.BusException;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.SystemCounter;
import io.verbus.driver.background.HostNames;
import io.verbus.driver.background.LocalAddresses;
import io.verbus.driver.config.ResolverConfig;
import io.verbus.driver.status.DriverCounters;
import io.verbus.transport.DatagramPort;
import io.verbus.transport.Networks;

import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Exchanges driver names and addresses with other drivers in Aeron's resolution frames. Uses its
 * own threads, so that neither the network nor a name server delays the agents.
 *
 * <pre>
 *   every self-resolution-interval       own name        ─▶ neighbors, bootstrap neighbors
 *   every neighbor-resolution-interval   all known names ─▶ neighbors
 * </pre>
 */
public final class DriverResolver implements AutoCloseable {
    /** Opens a socket at an address. */
    @FunctionalInterface
    public interface Sockets {
        /**
         * Opens a socket.
         *
         * @throws IOException if the socket cannot be opened.
         */
        DatagramPort open(InetSocketAddress local) throws IOException;
    }

    /** Maximum number of hosts outside the allowed networks to report in the error log. */
    private static final int MAX_TOLD = 32;

    /** Maximum number of datagrams to read between clock reads. */
    private static final int BATCH = 64;

    private final ResolverConfig config;
    private final Networks allowed;
    private final int mtu;
    private final ErrorHandler errors;
    private final KnownDrivers known;
    private final BootstrapNeighbors bootstrap;
    private final HostNames system;
    private final DatagramPort socket;
    private final InetSocketAddress local;
    private final AtomicCounter invalid;
    private final AtomicCounter shortSends;
    private final AtomicCounter neighbors;
    private final AtomicCounter cacheEntries;
    private final AtomicCounter[] bootstraps;
    private final InetSocketAddress[] shown;
    private final DriverCounters counters;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(ResolutionFrame.MAX_LENGTH);
    private final UnsafeBuffer frame = new UnsafeBuffer(bytes);
    private final Set<String> told = new HashSet<>();
    private final Thread gossip = thread(this::run, "verbus-resolver");
    private final Thread names = thread(this::resolveAgain, "verbus-resolver-names");

    /** Written by the thread that closes the driver; read by both threads. */
    private volatile boolean isClosed;

    private long selfDueMs;
    private long neighborsDueMs;

    /**
     * Opens the resolver's socket and allocates its counters. Called by the launching thread.
     *
     * @param sockets opens the resolver's socket.
     * @param allowed networks whose drivers may take part; null for all.
     * @param mtu maximum frame length in bytes.
     * @param system resolves names that are not driver names.
     * @throws BusException if the socket cannot be opened.
     */
    public DriverResolver(
            ResolverConfig config,
            Sockets sockets,
            Networks allowed,
            int mtu,
            HostNames system,
            DriverCounters counters,
            ErrorHandler errors) {
        this.config = config;
        this.allowed = allowed;
        this.mtu = mtu;
        this.system = system;
        this.counters = counters;
        this.errors = errors;
        known = new KnownDrivers(TimeUnit.NANOSECONDS.toMillis(config.neighborTimeoutNs()));
        bootstrap = new BootstrapNeighbors(config.bootstrapNeighbors(), system);
        try {
            socket = sockets.open(wanted(config, system));
            local = socket.localAddress();
        } catch (IOException e) {
            throw new BusException(
                    "cannot open the name resolver's socket at resolver.interface="
                            + config.localInterface()
                            + " ("
                            + e.getMessage()
                            + "): use an address of this host and a free port",
                    e);
        }
        invalid = counters.system(SystemCounter.INVALID_PACKETS);
        shortSends = counters.system(SystemCounter.SHORT_SENDS);
        neighbors =
                counters.manager()
                        .newCounter(
                                "Resolver neighbors: bound " + Endpoint.text(local),
                                CounterTypes.RESOLVER_NEIGHBORS);
        cacheEntries =
                counters.manager()
                        .newCounter(
                                "Resolver cache entries: name=" + config.name(),
                                CounterTypes.RESOLVER_CACHE_ENTRIES);
        bootstraps = new AtomicCounter[bootstrap.count()];
        shown = new InetSocketAddress[bootstrap.count()];
        for (int i = 0; i < bootstraps.length; i++) {
            bootstraps[i] = bootstrapCounter(i);
        }
    }

    /**
     * Allocates a counter whose key contains the neighbor's number and name, in the layout of a
     * local address.
     */
    private AtomicCounter bootstrapCounter(int index) {
        String name = bootstrap.named(index).toString();
        int length = Math.min(name.length(), CountersReader.MAX_KEY_LENGTH - 2 * Integer.BYTES);
        return counters.manager()
                .newCounter(
                        label(index, null),
                        CounterTypes.RESOLVER_BOOTSTRAP_NEIGHBOR,
                        key -> {
                            key.putInt(0, index);
                            key.putInt(Integer.BYTES, length);
                            key.putStringWithoutLengthAscii(2 * Integer.BYTES, name, 0, length);
                        });
    }

    private static InetSocketAddress wanted(ResolverConfig config, HostNames system)
            throws UnknownHostException {
        String name = config.localInterface().name();
        InetAddress address =
                LocalInterface.isSearched(name) ? LocalAddresses.find(name) : system.address(name);
        if (address == null) {
            throw new UnknownHostException("this host has no such interface");
        }
        return new InetSocketAddress(address, config.localInterface().port());
    }

    /** Returns a thread whose errors end the driver. */
    private Thread thread(Runnable work, String name) {
        return Thread.ofPlatform().daemon().name(name).unstarted(() -> run(work));
    }

    private void run(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            errors.onError(new AssertionError("a thread of the name resolver has ended", e));
        } catch (Error e) {
            errors.onError(e);
        }
    }

    private String label(int index, InetSocketAddress address) {
        return "Bootstrap neighbor: name="
                + bootstrap.named(index)
                + " resolved="
                + (address == null ? "unresolved" : Endpoint.text(address));
    }

    /** Starts announcing this driver and listening for others. */
    public void start() {
        gossip.start();
        if (bootstrap.count() > 0) {
            names.start();
        }
    }

    /** Returns the resolver for driver names and all other names. */
    public HostNames names() {
        return new ResolverNames(known, config.name(), local.getAddress(), system);
    }

    // Name lookup thread

    private void resolveAgain() {
        try {
            while (!isClosed) {
                bootstrap.resolve(() -> isClosed);
                socket.wakeup();
                TimeUnit.NANOSECONDS.sleep(config.bootstrapIntervalNs());
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    // Resolver thread

    private void run() {
        while (!isClosed) {
            try {
                work(System.currentTimeMillis());
            } catch (IOException | RuntimeException e) {
                errors.onError(new BusException("the name resolver has failed: " + e, e));
                pause();
            }
        }
    }

    /** Keeps a permanent failure from using a whole CPU. */
    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(100);
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void work(long nowMs) throws IOException {
        known.forgetOld(nowMs);
        if (nowMs >= selfDueMs || hasNewBootstrap()) {
            tellSelf();
            selfDueMs = nowMs + TimeUnit.NANOSECONDS.toMillis(config.selfIntervalNs());
        }
        if (nowMs >= neighborsDueMs) {
            tellNeighbors(nowMs);
            neighborsDueMs = nowMs + TimeUnit.NANOSECONDS.toMillis(config.neighborIntervalNs());
        }
        neighbors.setRelease(known.neighbors().size());
        cacheEntries.setRelease(known.names().size());
        socket.await(Math.max(1, Math.min(selfDueMs, neighborsDueMs) - nowMs));
        receive();
    }

    private boolean hasNewBootstrap() {
        boolean isNew = false;
        for (int i = 0; i < shown.length; i++) {
            InetSocketAddress address = bootstrap.address(i);
            if (address != null && !address.equals(shown[i])) {
                shown[i] = address;
                counters.manager().setCounterLabel(bootstraps[i].id(), label(i, address));
                isNew = true;
            }
        }
        return isNew;
    }

    private void tellSelf() {
        ResolutionEntry self = new ResolutionEntry(true, local, 0, config.name());
        int length = self.encode(frame, ResolutionFrame.HEADER);
        Set<InetSocketAddress> told = new HashSet<>(known.neighbors());
        for (int i = 0; i < shown.length; i++) {
            if (shown[i] != null) {
                bootstraps[i].setRelease(told.contains(shown[i]) ? 1 : 0);
            }
        }
        for (InetSocketAddress address : shown) {
            if (address != null && !address.equals(local)) {
                told.add(address);
            }
        }
        told.forEach(address -> send(length, address));
    }

    private void tellNeighbors(long nowMs) {
        List<KnownDrivers.Named> all = new ArrayList<>(known.names());
        int offset = ResolutionFrame.HEADER;
        for (KnownDrivers.Named each : all) {
            ResolutionEntry entry =
                    new ResolutionEntry(
                            false,
                            each.address(),
                            Math.max(0, nowMs - each.heardMs()),
                            each.name());
            if (offset + entry.length() > mtu) {
                sendAll(offset);
                offset = ResolutionFrame.HEADER;
            }
            offset = entry.encode(frame, offset);
        }
        if (offset > ResolutionFrame.HEADER) {
            sendAll(offset);
        }
    }

    private void sendAll(int length) {
        known.neighbors().forEach(address -> send(length, address));
    }

    private void send(int length, InetSocketAddress to) {
        ResolutionFrame.begin(frame, length);
        try {
            bytes.clear().limit(length);
            if (socket.send(bytes, to) < length) {
                shortSends.increment();
            }
        } catch (IOException | RuntimeException e) {
            shortSends.increment();
            if (told.size() < MAX_TOLD && told.add("to " + to)) {
                errors.onError(
                        new BusException(
                                "WARN: Failed to send resolution frames to neighbor "
                                        + Endpoint.text(to)
                                        + " ("
                                        + e
                                        + "): check the route there and the firewall",
                                e));
            }
        }
    }

    private void receive() throws IOException {
        for (int i = 0; i < BATCH; i++) {
            bytes.clear();
            InetSocketAddress source = socket.receive(bytes);
            if (source == null) {
                return;
            }
            onDatagram(bytes.position(), source);
        }
    }

    private void onDatagram(int length, InetSocketAddress source) {
        InetAddress host = source.getAddress();
        if (!isAllowed(host)) {
            invalid.increment();
            if (told.size() < MAX_TOLD && told.add(host.getHostAddress())) {
                errors.onError(
                        new BusException(
                                "resolution frames from "
                                        + host.getHostAddress()
                                        + " were dropped: if you trust this host, add it to"
                                        + " verbus.udp.allow"));
            }
            return;
        }
        long nowMs = System.currentTimeMillis();
        if (!ResolutionFrame.read(frame, length, entry -> onEntry(entry.from(host), nowMs))) {
            invalid.increment();
        }
    }

    private boolean isAllowed(InetAddress host) {
        return allowed == null || allowed.contains(host);
    }

    private void onEntry(ResolutionEntry entry, long nowMs) {
        InetAddress host = entry.address().getAddress();
        boolean isOwn =
                entry.address().getPort() == local.getPort() && entry.name().equals(config.name());
        if (isOwn) {
            return;
        }
        boolean isHost = !host.isAnyLocalAddress() && !host.isMulticastAddress();
        if (!isHost || !isAllowed(host) || !known.onEntry(entry, nowMs)) {
            invalid.increment();
        }
    }

    /** Stops both threads, and closes the socket. */
    @Override
    public void close() {
        isClosed = true;
        names.interrupt();
        socket.wakeup();
        boolean isInterrupted = false;
        while (gossip.isAlive()) {
            try {
                gossip.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        CloseHelper.close(socket);
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
