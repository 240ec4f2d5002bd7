// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The data path verbs. In C, they are inline functions that call the device's provider through
 * pointers in its context. Each handle therefore takes the function's address as its first
 * argument, and works with any device. None of the functions sets errno.
 *
 * <p>A critical call delays safepoints of the JVM while it runs, so it is used only for calls that
 * never enter the kernel. Polling never enters the kernel. Posting enters the kernel if the kernel
 * emulates the device, because ringing the doorbell is then a {@code write()}.
 */
@SuppressWarnings("restricted")
final class DataPathCalls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final FunctionDescriptor POST =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor POLL =
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);

    private static final MethodHandle POST_LIST = LINKER.downcallHandle(POST);
    private static final MethodHandle POST_LIST_CRITICAL =
            LINKER.downcallHandle(POST, Linker.Option.critical(false));
    private static final MethodHandle POLL_CQ_CRITICAL =
            LINKER.downcallHandle(POLL, Linker.Option.critical(false));

    private DataPathCalls() {}

    /** Links all handles. Idempotent. */
    static void link() {
        // Class initialization has linked them.
    }

    /**
     * Calls {@code ibv_post_send} or {@code ibv_post_recv}.
     *
     * @param function entry point of the provider.
     * @param critical whether the function never enters the kernel.
     * @param qp queue pair.
     * @param list first work request.
     * @param bad address to which the address of a refused work request is written.
     * @return 0 or an errno; siw returns the errno negated.
     */
    static int post(MemorySegment function, boolean critical, long qp, long list, long bad) {
        try {
            return critical
                    ? (int) POST_LIST_CRITICAL.invokeExact(function, qp, list, bad)
                    : (int) POST_LIST.invokeExact(function, qp, list, bad);
        } catch (Throwable thrown) {
            throw NativeFunction.unexpected(thrown);
        }
    }

    /**
     * Calls {@code ibv_poll_cq}.
     *
     * @param function entry point of the provider.
     * @param cq completion queue.
     * @param entries maximum number of completions.
     * @param completions address to which the completions are written.
     * @return the number of completions, or a negative number on failure.
     */
    static int pollCq(MemorySegment function, long cq, int entries, long completions) {
        try {
            return (int) POLL_CQ_CRITICAL.invokeExact(function, cq, entries, completions);
        } catch (Throwable thrown) {
            throw NativeFunction.unexpected(thrown);
        }
    }
}
