// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.config;

import io.verbus.BusException;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Binds the calling thread to one CPU.
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/sched_setaffinity.2.html">
 *     sched_setaffinity(2)</a>
 */
public final class CpuAffinity {
    /** CPU number of a thread that is not bound. */
    static final int NONE = -1;

    /** Number of bits in glibc's cpu_set_t. */
    static final int MAX_CPUS = 1024;

    private static final StructLayout ERRNO = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO_VALUE =
            ERRNO.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private CpuAffinity() {}

    /**
     * Binds the calling thread.
     *
     * @param agent name of the thread's agent, for the message.
     * @param cpu number of the CPU, or {@link #NONE} to leave the thread unbound.
     * @throws BusException if the kernel refuses.
     */
    public static void bind(String agent, int cpu) {
        if (cpu == NONE) {
            return;
        }
        int errno = setAffinity(cpu);
        if (errno != 0) {
            throw new BusException(
                    "cannot bind the "
                            + agent
                            + " to CPU "
                            + cpu
                            + " (sched_setaffinity failed with errno "
                            + errno
                            + "): choose a CPU that is online and that this process may use (see"
                            + " `taskset -pc $$`)");
        }
    }

    @SuppressWarnings("restricted")
    private static int setAffinity(int cpu) {
        Linker linker = Linker.nativeLinker();
        MethodHandle call =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("sched_setaffinity"),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.ADDRESS),
                        Linker.Option.captureCallState("errno"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MAX_CPUS / Byte.SIZE, Long.BYTES);
            mask.set(ValueLayout.JAVA_BYTE, cpu / Byte.SIZE, (byte) (1 << (cpu % Byte.SIZE)));
            MemorySegment state = arena.allocate(ERRNO);
            int result = (int) call.invokeExact(state, 0, mask.byteSize(), mask);
            return result == 0 ? 0 : (int) ERRNO_VALUE.get(state, 0L);
        } catch (Throwable e) {
            throw new BusException("cannot call sched_setaffinity(): " + e, e);
        }
    }
}
