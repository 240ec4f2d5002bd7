// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/** A datagram socket of the family AF_UNIX, like the service manager's. */
@SuppressWarnings("restricted")
public final class DatagramReceiver implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(4096);
    private final int descriptor;

    /**
     * Binds one.
     *
     * @param name a path, or a name with @ before it.
     * @param timeoutMs after which {@link #receive} gives up.
     */
    public DatagramReceiver(String name, int timeoutMs) {
        descriptor = call("socket", AF_UNIX, SOCK_DGRAM, 0);
        byte[] path = name.getBytes(StandardCharsets.UTF_8);
        if (path[0] == '@') {
            path[0] = 0;
        }
        MemorySegment address = arena.allocate(Short.BYTES + path.length, Short.BYTES);
        address.set(JAVA_SHORT, 0, (short) AF_UNIX);
        MemorySegment.copy(path, 0, address, JAVA_BYTE, Short.BYTES, path.length);
        assertEquals(0, call("bind", descriptor, address, (int) address.byteSize()), name);
        MemorySegment time = arena.allocate(MemoryLayout.sequenceLayout(2, JAVA_LONG));
        time.setAtIndex(JAVA_LONG, 0, timeoutMs / 1000);
        time.setAtIndex(JAVA_LONG, 1, timeoutMs % 1000 * 1000L);
        int set = call("setsockopt", descriptor, SOL_SOCKET, SO_RCVTIMEO, time, 16);
        assertEquals(0, set, "setsockopt");
    }

    /** The next datagram; null if none comes within the time. */
    public String receive() {
        int length = call("recv", descriptor, buffer, (int) buffer.byteSize(), 0);
        return length < 0
                ? null
                : new String(buffer.asSlice(0, length).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        call("close", descriptor);
        arena.close();
    }

    private static int call(String name, Object... arguments) {
        Linker linker = Linker.nativeLinker();
        MemoryLayout[] layouts = new MemoryLayout[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            layouts[i] = arguments[i] instanceof MemorySegment ? ADDRESS : JAVA_INT;
        }
        MethodHandle handle =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow(name),
                        FunctionDescriptor.of(JAVA_INT, layouts));
        try {
            return (int) handle.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new AssertionError(name, e);
        }
    }
}
