// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * A C function used for set-up. Its arguments are integers and pointers, and its result is an
 * integer or a pointer. Captures {@code errno}.
 *
 * <p>Every argument is passed as a {@code long}: in the calling conventions of x86-64 and aarch64
 * Linux an integer argument uses a whole register, and the function reads only the declared width.
 * The upper half of an {@code int} result is undefined, so callers narrow it.
 */
@SuppressWarnings("restricted")
final class NativeFunction {
    private static final MethodHandle CALL_1 = handle(1);
    private static final MethodHandle CALL_2 = handle(2);
    private static final MethodHandle CALL_3 = handle(3);
    private static final MethodHandle CALL_4 = handle(4);
    private static final MethodHandle CALL_5 = handle(5);

    private static final ThreadLocal<MemorySegment> CALL_STATE =
            ThreadLocal.withInitial(
                    () -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));
    private static final long ERRNO_OFFSET =
            Linker.Option.captureStateLayout()
                    .byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    private final MemorySegment function;

    NativeFunction(MemorySegment function) {
        this.function = function;
    }

    /** Returns the {@code errno} of this thread's last call. */
    static int errno() {
        return CALL_STATE.get().get(JAVA_INT, ERRNO_OFFSET);
    }

    long call(long a) {
        try {
            return (long) CALL_1.invokeExact(function, CALL_STATE.get(), a);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    long call(long a, long b) {
        try {
            return (long) CALL_2.invokeExact(function, CALL_STATE.get(), a, b);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    long call(long a, long b, long c) {
        try {
            return (long) CALL_3.invokeExact(function, CALL_STATE.get(), a, b, c);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    long call(long a, long b, long c, long d) {
        try {
            return (long) CALL_4.invokeExact(function, CALL_STATE.get(), a, b, c, d);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    long call(long a, long b, long c, long d, long e) {
        try {
            return (long) CALL_5.invokeExact(function, CALL_STATE.get(), a, b, c, d, e);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /** Rethrows an error thrown by the JVM. The C function itself throws nothing. */
    static Error unexpected(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw new AssertionError("a native call threw", thrown);
    }

    private static MethodHandle handle(int arguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        return Linker.nativeLinker()
                .downcallHandle(
                        FunctionDescriptor.of(JAVA_LONG, layouts),
                        Linker.Option.captureCallState("errno"));
    }
}
