// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.transports;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;
import io.verbus.codecs.control.ErrorCode;
import io.verbus.driver.background.Names;
import io.verbus.driver.channel.Carriers;
import io.verbus.driver.command.CommandException;
import io.verbus.driver.config.TransportOptions;
import io.verbus.driver.files.DriverDirectory;
import io.verbus.transport.DatagramPort;
import io.verbus.transport.DeviceWatch;
import io.verbus.transport.Networks;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;
import io.verbus.transport.TransportProvider;

import org.agrona.ErrorHandler;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The available transports. Each transport is opened when a channel first uses its media. Used by
 * the conductor's thread, except for {@link #open()}.
 */
public final class Transports {
    private static final Transport[] NONE = new Transport[0];

    private final Map<String, TransportProvider> providers;
    private final DriverDirectory directory;
    private final Map<String, String> options;
    private final Carriers carriers;
    private final ErrorHandler errors;
    private final Map<String, Transport> byMedia = new TreeMap<>();

    /** Threads that are preparing transports, by media. */
    private final Map<String, Thread> preparing = new TreeMap<>();

    /**
     * Media of the transports that could not be opened and must be prepared again before the next
     * attempt.
     */
    private final Set<String> refused = new TreeSet<>();

    private final List<DeviceWatch> watches = new ArrayList<>();
    private TransportHostFactory hosts;

    /**
     * Replaced by the conductor with a new array on each change; read by all agents once per duty
     * cycle.
     */
    private volatile Transport[] open = NONE;

    /** Creates the host of a transport, which receives the transport's requests to the driver. */
    public interface TransportHostFactory {
        /**
         * @param options options of the transport; they record which of them were read.
         */
        Host host(TransportOptions options);
    }

    /** Receives a transport's requests to the driver. */
    public interface Host extends TransportHost {
        /** Handles that the transport is open. */
        void onOpened(Transport transport);
    }

    /**
     * @param errors handler for errors that end the driver.
     */
    public Transports(
            List<TransportProvider> providers,
            DriverDirectory directory,
            Map<String, String> options,
            Names names,
            ErrorHandler errors) {
        this.errors = errors;
        this.providers = new TreeMap<>();
        providers.forEach(provider -> this.providers.put(provider.media(), provider));
        this.directory = directory;
        this.options = options;
        this.carriers = new Carriers(networks(), names);
    }

    private Networks networks() {
        TransportProvider rdma = providers.get(Carriers.RDMA);
        return rdma == null ? Networks.NONE : rdma.networks(new TransportOptions(rdma, options));
    }

    /** Returns the rules that choose the transport of a channel. */
    public Carriers carriers() {
        return carriers;
    }

    /** Loads the transports on the class path, and reports those that cannot be loaded. */
    public static List<TransportProvider> load(ErrorHandler errors) {
        List<TransportProvider> found = new ArrayList<>();
        Iterator<TransportProvider> loader = ServiceLoader.load(TransportProvider.class).iterator();
        while (true) {
            try {
                if (!loader.hasNext()) {
                    return found;
                }
                found.add(loader.next());
            } catch (ServiceConfigurationError e) {
                errors.onError(
                        new BusException(
                                "cannot load a transport on the class path: " + e.getMessage(), e));
            }
        }
    }

    /**
     * Checks the options of every transport now, because a transport may be opened much later.
     *
     * @throws TransportException if an option is invalid or unknown.
     */
    public static void checkOptions(
            List<TransportProvider> providers, Map<String, String> options) {
        for (TransportProvider provider : providers) {
            new TransportOptions(provider, options).check();
        }
        for (String name : options.keySet()) {
            if (providers.stream().noneMatch(of -> name.startsWith(of.media() + "."))) {
                throw new TransportException(
                        "the driver's setting "
                                + name
                                + " belongs to no loaded transport: put the transport's jar on "
                                + "the driver's class path, or remove the setting");
            }
        }
    }

    /**
     * Opens a UDP socket for messages to other drivers.
     *
     * @throws IOException if the socket cannot be opened.
     */
    public static DatagramPort openPort(List<TransportProvider> providers, InetSocketAddress local)
            throws IOException {
        for (TransportProvider provider : providers) {
            DatagramPort port = provider.openPort(local);
            if (port != null) {
                return port;
            }
        }
        throw new IOException("no transport on the class path offers UDP");
    }

    /** Returns the networks whose datagrams are accepted; null for all. */
    public static Networks sources(List<TransportProvider> providers, Map<String, String> options) {
        return providers.stream()
                .map(provider -> provider.sources(new TransportOptions(provider, options)))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Returns the startup notes for a driver with the given options, one per line. */
    public static List<String> notes(Map<String, String> options) {
        List<String> notes = new ArrayList<>();
        // Load errors are recorded when a driver is launched.
        for (TransportProvider provider : load(error -> {})) {
            for (String note : provider.notes(new TransportOptions(provider, options))) {
                notes.add(provider.media() + ": " + note);
            }
        }
        return notes;
    }

    /** Sets the factory of the hosts; required before any channel names a transport. */
    public void hosts(TransportHostFactory factory) {
        hosts = factory;
        for (TransportProvider provider : providers.values()) {
            Host host = factory.host(new TransportOptions(provider, options));
            watches.add(provider.watch(host, System.nanoTime()));
        }
    }

    /** Checks the devices that transports need. Called at the timer interval. */
    public int watch(long nowNs) {
        int work = 0;
        for (int i = 0; i < watches.size(); i++) {
            work += watches.get(i).work(nowNs);
        }
        return work;
    }

    /** Returns the media of the available transports. */
    public static List<String> media(List<TransportProvider> providers) {
        return List.copyOf(
                new TreeSet<>(providers.stream().map(TransportProvider::media).toList()));
    }

    /**
     * Returns whether a channel's transport is open or can be opened without delay; otherwise
     * starts preparing it. The channel's names must be resolved.
     */
    public boolean isReadyFor(ChannelUri channel) {
        String carrier = carriers.media(channel);
        TransportProvider provider = channel.isSpy() ? null : providers.get(carrier);
        if (provider == null || byMedia.containsKey(carrier)) {
            return true;
        }
        if (refused.remove(carrier)) {
            preparing.remove(carrier);
        }
        return !preparing.computeIfAbsent(carrier, media -> preparation(provider)).isAlive();
    }

    private Thread preparation(TransportProvider provider) {
        return Thread.ofPlatform()
                .daemon()
                .name("verbus-prepare-" + provider.media())
                .start(() -> prepare(provider));
    }

    private void prepare(TransportProvider provider) {
        try {
            provider.prepare();
        } catch (RuntimeException e) {
            // Opening the transport will fail in the same way, and then report the error to the
            // client.
        } catch (Error e) {
            errors.onError(e); // the error ends the driver
        }
    }

    /**
     * Returns the transport of a channel that {@link Carriers#carried} has resolved.
     *
     * @throws CommandException if no transport has the channel's media, or the transport cannot be
     *     opened here.
     */
    public Transport of(ChannelUri channel) {
        Transport transport = byMedia.get(channel.media());
        return transport == null ? open(channel.media()) : transport;
    }

    private Transport open(String media) {
        TransportProvider provider = providers.get(media);
        if (provider == null) {
            throw new CommandException(
                    ErrorCode.NOT_SUPPORTED,
                    "the driver has no transport for media '"
                            + media
                            + "', only for "
                            + (providers.isEmpty()
                                    ? ""
                                    : String.join(", ", providers.keySet()) + ", ")
                            + "ipc; put the transport's jar on the driver's class path");
        }
        if (provider.needsMemoryFileSystem() && !directory.isInMemory()) {
            throw new CommandException(
                    ErrorCode.GENERIC_ERROR,
                    "the driver directory "
                            + directory.path()
                            + " is on file system "
                            + directory.fileSystem()
                            + ", where "
                            + media
                            + " cannot register memory: start the driver with --dir on tmpfs, such"
                            + " as /dev/shm/verbus");
        }
        Host host = hosts.host(new TransportOptions(provider, options));
        Transport transport;
        try {
            transport = provider.open(host);
        } catch (BusException e) {
            refused.add(media);
            throw e;
        }
        host.onOpened(transport);
        byMedia.put(media, transport);
        Transport[] all = Arrays.copyOf(open, open.length + 1);
        all[open.length] = transport;
        open = all;
        return transport;
    }

    /** Returns the open transports. Thread-safe. */
    public Transport[] open() {
        return open;
    }

    /** Closes all transports. Called after the sender and the receiver have stopped. */
    public void close() {
        watches.forEach(DeviceWatch::close);
        watches.clear();
        for (Transport transport : open) {
            try {
                transport.close();
            } catch (RuntimeException e) {
                errors.onError(e);
            }
        }
        open = NONE;
    }
}
