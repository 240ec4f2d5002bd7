// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/** Entry to a transport, found by {@link java.util.ServiceLoader}. */
public interface TransportProvider {
    /** The media that channels name: {@code rdma} in {@code verbus:rdma?endpoint=…}. */
    String media();

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
     * Checks the settings of the transport when the driver starts, whether or not it is used then.
     * All that the transport knows are asked for here: the driver refuses those that are set and
     * were not.
     *
     * @param settings of the driver.
     * @throws TransportException that names the wrong one.
     */
    default void check(TransportSettings settings) {
        // A transport without settings has nothing to check.
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
