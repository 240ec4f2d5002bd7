// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.release.Release;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** Entry point of a transport, found by {@link java.util.ServiceLoader}. */
public interface TransportProvider {
    /**
     * Returns the name of the media in channels, such as {@code rdma} in {@code
     * verbus:rdma?endpoint=…}.
     */
    String media();

    /** Returns the human-readable version of its protocol between hosts, such as {@code 4}. */
    default String protocol() {
        return Release.UNKNOWN;
    }

    /**
     * Performs everything that takes long, or that a device can delay, and does not need the
     * driver, such as linking libraries or listing devices. Called on its own thread before each
     * {@link #open}. Whatever fails here must fail again in {@link #open}, which reports it.
     */
    default void prepare() {}

    /**
     * Opens the transport for a driver, when a channel first uses its media. Called on the
     * conductor's thread; must not wait for a device.
     *
     * @param host the driver.
     * @return the open transport.
     * @throws TransportException if the transport cannot work here; the message has cause and
     *     remedy.
     */
    Transport open(TransportHost host);

    /**
     * Creates a watch of the devices that the transport needs. Called once when the driver starts,
     * even if the transport is not used.
     *
     * @param host the driver.
     * @param nowNs monotonic time.
     */
    default DeviceWatch watch(TransportHost host, long nowNs) {
        return DeviceWatch.NONE;
    }

    /**
     * Returns all options of the transport, whose names start with the media. The driver reads them
     * when it starts, even if the transport is not used, and rejects unknown options.
     */
    default List<Option<?>> options() {
        return List.of();
    }

    /**
     * Checks the values of all options, and that they are consistent.
     *
     * @param settings settings of the driver.
     * @throws TransportException if a value is invalid; the message names the option.
     */
    default void check(TransportSettings settings) {
        options().forEach(option -> option.read(settings));
    }

    /**
     * Returns the networks for which this transport carries {@code aeron:udp} channels.
     *
     * @param settings settings of the driver, already checked.
     */
    default Networks networks(TransportSettings settings) {
        return Networks.NONE;
    }

    /**
     * Opens a UDP socket for datagrams that the driver exchanges with other drivers.
     *
     * @param local address to bind to.
     * @return the socket; null if the transport offers none.
     * @throws IOException if the socket cannot be opened.
     */
    default DatagramPort openPort(InetSocketAddress local) throws IOException {
        return null;
    }

    /**
     * Returns the networks whose hosts may send datagrams to the driver; null if not restricted by
     * this transport.
     *
     * @param settings settings of the driver, already checked.
     */
    default Networks sources(TransportSettings settings) {
        return null;
    }

    /**
     * Returns notes on the settings and on this host to show when a driver starts, such as which
     * hosts may connect. Each note is one line that reads well after the media's name.
     *
     * @param settings settings of the driver, already checked.
     */
    default List<String> notes(TransportSettings settings) {
        return List.of();
    }

    /**
     * Returns whether logs must be on an in-memory file system (tmpfs, hugetlbfs), because the
     * transport registers them with a device. A driver with its directory elsewhere rejects the
     * transport's channels.
     */
    default boolean needsMemoryFileSystem() {
        return true;
    }
}
