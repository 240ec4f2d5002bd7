// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import org.agrona.ErrorHandler;

/** A completion queue that is polled, without a channel. Set-up side. */
final class CompletionQueue {
    private final Ibverbs ibverbs;
    private final Device device;
    private final long address;

    /**
     * @param entries that it must hold; the device may give more.
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
                            + " gives no queue of "
                            + entries
                            + " completions",
                    "");
        }
    }

    /** The {@code struct ibv_cq}. */
    long address() {
        return address;
    }

    /**
     * Destroys it; the queue pairs that use it must be gone.
     *
     * @param errors is told if the device does not take it back.
     */
    void destroy(ErrorHandler errors) {
        int error = ibverbs.destroyCq(address);
        if (!device.isDestroyed(error)) {
            errors.onError(
                    VerbsException.of(
                            "ibv_destroy_cq",
                            error,
                            "a completion queue of " + device.name() + " stays",
                            ""));
        }
    }
}
