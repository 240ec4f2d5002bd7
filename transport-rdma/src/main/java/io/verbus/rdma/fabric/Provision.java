// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * Memory that a connection needs in addition to its queue pair. Called on a thread that may block;
 * the conductor can read what it writes once the connection is established.
 */
public interface Provision {
    /** Provision without any memory. */
    Provision NONE =
            new Provision() {
                @Override
                public void register(Domain domain) {
                    // Nothing is needed.
                }

                @Override
                public void release() {
                    // Nothing was registered.
                }
            };

    /**
     * Registers the memory.
     *
     * @param domain domain of the queue pair.
     * @throws FabricException if the device refuses; the connection ends with its message.
     */
    void register(Domain domain);

    /** Releases the memory, after the queue pair is destroyed. */
    void release();
}
