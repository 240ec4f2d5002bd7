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
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Controls the strict RDMA device in this process: {@code transport-rdma/src/test/c/strict}, which
 * {@code lab/strict} loads in place of libibverbs.
 */
@SuppressWarnings("restricted")
public final class StrictDevice {
    /** Event: a port went down. */
    public static final int PORT_ERROR = 10;

    private static final Map<String, MethodHandle> FUNCTIONS = new ConcurrentHashMap<>();

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

    /**
     * Fails a queue pair of a device: its oldest request is not answered.
     *
     * @param which number of the connection, counted from the newest, and round.
     * @return whether the device has a connection.
     */
    public static boolean fail(int device, int which) {
        return resultOf("strict_fail", device, which) == 0;
    }

    /** Cuts a connection of a device silently; otherwise like {@link #fail}. */
    public static boolean cut(int device, int which) {
        return resultOf("strict_cut", device, which) == 0;
    }

    /** Tells the peer of a connection that it was disconnected; otherwise like {@link #fail}. */
    public static boolean hangUp(int device, int which) {
        return resultOf("strict_hang_up", device, which) == 0;
    }

    /** Sets the text that is printed with a broken rule from now on, such as a seed. */
    public static void note(String text) {
        withText("strict_note", text);
    }

    /**
     * Returns whether any of the memory is registered.
     *
     * @param isWritten whether only to count regions that a connected peer can write.
     */
    public static boolean isRegistered(long address, long length, boolean isWritten) {
        return resultOf("strict_is_registered", address, length, isWritten ? 1 : 0) != 0;
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
            return function(function, FunctionDescriptor.of(result, ADDRESS))
                    .invokeWithArguments(
                            text == null ? MemorySegment.NULL : arena.allocateFrom(text));
        } catch (Throwable thrown) {
            throw new AssertionError(thrown);
        }
    }

    private static void withInts(String function, Object... arguments) {
        if (resultOf(function, arguments) != 0) {
            throw new AssertionError(function + ": there is no such device");
        }
    }

    private static int resultOf(String function, Object... arguments) {
        MemoryLayout[] layouts =
                Arrays.stream(arguments)
                        .map(each -> each instanceof Long ? JAVA_LONG : JAVA_INT)
                        .toArray(MemoryLayout[]::new);
        try {
            return (int)
                    function(function, FunctionDescriptor.of(JAVA_INT, layouts))
                            .invokeWithArguments(arguments);
        } catch (Throwable thrown) {
            throw new AssertionError(thrown);
        }
    }

    /** Linked once: linking takes milliseconds. */
    private static MethodHandle function(String name, FunctionDescriptor type) {
        return FUNCTIONS.computeIfAbsent(
                name,
                absent ->
                        Linker.nativeLinker()
                                .downcallHandle(
                                        SymbolLookup.libraryLookup(
                                                        "libibverbs.so.1", Arena.global())
                                                .findOrThrow(name),
                                        type));
    }
}
