// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Arrays;

/**
 * Controls the strict RDMA device in this process: {@code transport-rdma/src/test/c/strict}, which
 * {@code lab/strict} loads in place of libibverbs.
 */
@SuppressWarnings("restricted")
public final class StrictDevice {
    /** Event: a port went down. */
    public static final int PORT_ERROR = 10;

    private StrictDevice() {}

    /** Returns whether this process uses the device. */
    public static boolean isThere() {
        return System.getenv("STRICT_DEVICE") != null;
    }

    /** Sets the kind of adapter to behave as; null for the one of the environment. */
    public static void profile(String name) {
        withText("strict_profile", name);
    }

    /**
     * Makes calls fail, as in {@code "ibv_reg_mr:2:12"}, or blocks them for a number of
     * milliseconds, as in {@code "rdma_connect:1:~30000"}; an empty plan clears the previous one,
     * and releases the calls that it blocks.
     */
    public static void plan(String plan) {
        withText("strict_plan", plan);
    }

    /** Removes a device, as its kernel driver does on a reset. */
    public static void remove(int device) {
        withInts("strict_remove", device);
    }

    /** Restores a removed device. */
    public static void add(int device) {
        withInts("strict_add", device);
    }

    /** Notifies all ids of a device that its address has moved to another port. */
    public static void changeAddress(int device) {
        withInts("strict_change_address", device);
    }

    /** Raises an asynchronous event of a device, for its port unless that is 0. */
    public static void event(int device, int type, int port) {
        withInts("strict_event", device, type, port);
    }

    /** Returns a count since the process started, such as {@code "requests"}. */
    public static long count(String what) {
        return (long) withText("strict_count", JAVA_LONG, what);
    }

    private static void withText(String function, String text) {
        withText(function, JAVA_INT, text);
    }

    private static Object withText(String function, MemoryLayout result, String text) {
        try (Arena arena = Arena.ofConfined()) {
            return Linker.nativeLinker()
                    .downcallHandle(symbol(function), FunctionDescriptor.of(result, ADDRESS))
                    .invokeWithArguments(
                            text == null ? MemorySegment.NULL : arena.allocateFrom(text));
        } catch (Throwable thrown) {
            throw new AssertionError(thrown);
        }
    }

    private static void withInts(String function, Object... arguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments.length];
        Arrays.fill(layouts, JAVA_INT);
        try {
            Object error =
                    Linker.nativeLinker()
                            .downcallHandle(
                                    symbol(function), FunctionDescriptor.of(JAVA_INT, layouts))
                            .invokeWithArguments(arguments);
            if (!error.equals(0)) {
                throw new AssertionError(function + ": there is no such device");
            }
        } catch (Throwable thrown) {
            throw new AssertionError(thrown);
        }
    }

    private static MemorySegment symbol(String name) {
        return SymbolLookup.libraryLookup("libibverbs.so.1", Arena.global()).findOrThrow(name);
    }
}
