// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.jmh;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.TimeUnit;

/** Measures a call of a C function that does almost nothing, {@code abs}: a baseline for verbs. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("restricted")
public class DowncallBenchmark {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final FunctionDescriptor ABS = FunctionDescriptor.of(JAVA_INT, JAVA_INT);
    private static final MemorySegment FUNCTION = LINKER.defaultLookup().findOrThrow("abs");
    private static final MethodHandle PLAIN = LINKER.downcallHandle(FUNCTION, ABS);
    private static final MethodHandle CRITICAL =
            LINKER.downcallHandle(FUNCTION, ABS, Linker.Option.critical(false));

    private int value = -7;

    /** Measures a call during which the JVM can reach a safepoint. */
    @Benchmark
    public int emptyDowncall() throws Throwable {
        return (int) PLAIN.invokeExact(value);
    }

    /** Measures a critical call, which delays safepoints. */
    @Benchmark
    public int emptyCriticalDowncall() throws Throwable {
        return (int) CRITICAL.invokeExact(value);
    }
}
