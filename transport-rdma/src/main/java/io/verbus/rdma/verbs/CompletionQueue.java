// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import org.agrona.ErrorHandler;

/** A completion queue that is polled, so it has no completion channel. Used during set-up. */
final class CompletionQueue {
    private final Ibverbs ibverbs;
    private final Device device;
    private final long address;

    /**
     * @param entries minimum number of entries; the device may provide more.
     */
    CompletionQueue(Ibverbs ibverbs, Device device, int entries) {
        this.ibverbs = ibverbs;
        this.device = device;
        address = ibverbs.createCq(device.context(), entries);
        if (address == 0) {
            throw VerbsException.of(
                    "ibv_create_cq",
                    NativeFunction.errno(),
                    "the device "
                            + device.name()
                            + " cannot create a completion queue of "
                            + entries
                            + " entries",
                    "");
        }
    }

    /** Returns the address of the {@code struct ibv_cq}. */
    long address() {
        return address;
    }

    /**
     * Destroys the queue. The queue pairs that use it must be destroyed first.
     *
     * @param errors handler to notify if the device fails to destroy the queue.
     */
    void destroy(ErrorHandler errors) {
        int error = ibverbs.destroyCq(address);
        if (!device.isDestroyed(error)) {
            errors.onError(
                    VerbsException.of(
                            "ibv_destroy_cq",
                            error,
                            "cannot destroy a completion queue of " + device.name(),
                            ""));
        }
    }
}
