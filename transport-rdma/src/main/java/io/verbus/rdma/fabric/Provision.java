// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * Memory that a connection needs beside its queue pair. Called on a thread that may wait; what it
 * writes can be read by the conductor when the connection is established.
 */
public interface Provision {
    /** Of a connection that needs none. */
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
     * @param domain of the queue pair.
     * @throws FabricException if the device refuses; the connection ends with its message.
     */
    void register(Domain domain);

    /** Releases what is registered, after the queue pair is destroyed. */
    void release();
}
