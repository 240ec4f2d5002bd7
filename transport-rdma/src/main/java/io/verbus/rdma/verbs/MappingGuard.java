// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.util.HashMap;
import java.util.Map;

/**
 * Lets siw have more than some tens of queues in a process. The kernel tells siw's library where
 * each queue lies among the device's mappings, and the library takes one place that the kernel
 * gives away, too, for "none": the queue that comes to lie there, and each one after it, is
 * destroyed as soon as it is made, and no error number is set. A completion queue that covers the
 * place, made before all others, keeps them from it.
 *
 * <p>It stays as long as the process: the context is that of librdmacm, which all fabrics share and
 * which is never closed. Any thread.
 *
 * @see <a href="https://github.com/linux-rdma/rdma-core/blob/master/kernel-headers/rdma/siw-abi.h">
 *     SIW_INVAL_UOBJ_KEY</a>
 */
final class MappingGuard {
    private static final int NO_PLACE = 0x90000;
    private static final int COMPLETION_LENGTH = 32;
    private static final Map<Long, CompletionQueue> GUARDS = new HashMap<>();

    private MappingGuard() {}

    /**
     * Covers the place, if the device is siw's and it is not covered.
     *
     * @param device in whose context nothing was created.
     * @throws VerbsException if the device does not give as many completions: 1 MiB of them.
     */
    static void cover(Ibverbs ibverbs, Device device) {
        if (!device.isSiw()) {
            return;
        }
        synchronized (GUARDS) {
            GUARDS.computeIfAbsent(
                    device.context(),
                    context ->
                            new CompletionQueue(ibverbs, device, NO_PLACE / COMPLETION_LENGTH + 1));
        }
    }
}
