// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.release.Release;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** Entry to a transport, found by {@link java.util.ServiceLoader}. */
public interface TransportProvider {
    /** The media that channels name: {@code rdma} in {@code verbus:rdma?endpoint=…}. */
    String media();

    /** Version of the protocol that it speaks with other hosts, for people, such as {@code 4}. */
    default String protocol() {
        return Release.UNKNOWN;
    }

    /**
     * Does what takes long before the transport can be opened and asks nothing of the driver, such
     * as loading and linking libraries: called once, on a thread of its own, while the driver goes
     * on with what it has. What fails here fails again in {@link #open}, which is told.
     */
    default void prepare() {
        // A transport that opens at once has nothing to prepare.
    }

    /**
     * Opens the transport for a driver, when a channel first names its media.
     *
     * @param host the driver.
     * @return the open transport.
     * @throws TransportException if it cannot work here; the message names cause and remedy.
     */
    Transport open(TransportHost host);

    /**
     * Makes what watches the devices that the transport needs: called once when the driver starts,
     * whether or not the transport is used then.
     *
     * @param host the driver.
     * @param nowNs monotonic time.
     */
    default DeviceWatch watch(TransportHost host, long nowNs) {
        return DeviceWatch.NONE;
    }

    /**
     * All options of the transport; the name of each begins with the media. The driver reads them
     * when it starts, whether or not the transport is used then, and refuses all others.
     */
    default List<Option<?>> options() {
        return List.of();
    }

    /**
     * Checks the values of all options, and that they fit together.
     *
     * @param settings of the driver.
     * @throws TransportException that names the wrong one.
     */
    default void check(TransportSettings settings) {
        options().forEach(option -> option.read(settings));
    }

    /**
     * Networks whose addresses this transport carries where a channel that is written as Aeron's
     * names UDP.
     *
     * @param settings of the driver, checked.
     */
    default Networks networks(TransportSettings settings) {
        return Networks.NONE;
    }

    /**
     * Opens a UDP socket for what the driver tells other drivers.
     *
     * @param local address to bind to.
     * @return the socket; null if the transport offers none.
     * @throws IOException if that is impossible.
     */
    default DatagramPort openPort(InetSocketAddress local) throws IOException {
        return null;
    }

    /**
     * Networks whose hosts may send datagrams to the driver; null if the transport does not say.
     *
     * @param settings of the driver, checked.
     */
    default Networks sources(TransportSettings settings) {
        return null;
    }

    /**
     * What whoever starts a driver is to know of the settings and of this host, a line each, such
     * as who may connect. Each goes on from the media's name.
     *
     * @param settings of the driver, checked.
     */
    default List<String> notes(TransportSettings settings) {
        return List.of();
    }

    /**
     * Whether logs must lie on a file system that is memory (tmpfs, hugetlbfs), because the
     * transport registers them with a device. A driver with its directory elsewhere refuses the
     * transport's channels.
     */
    default boolean needsMemoryFileSystem() {
        return true;
    }
}
