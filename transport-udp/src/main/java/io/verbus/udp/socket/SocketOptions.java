// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;

/** Options of a UDP socket, which any thread may set. */
final class SocketOptions {
    private final int fd;

    /**
     * @param fd file descriptor of the socket.
     */
    SocketOptions(int fd) {
        this.fd = fd;
    }

    /**
     * Sets an option.
     *
     * @throws SocketException if the kernel refuses the value.
     */
    void set(int level, int option, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = SocketCalls.allocateState(arena);
            MemorySegment memory = arena.allocate(ValueLayout.JAVA_INT);
            memory.set(ValueLayout.JAVA_INT, 0, value);
            if (SocketCalls.setsockopt(state, fd, level, option, memory.address(), Integer.BYTES)
                    < 0) {
                throw SocketCalls.failure(
                        "cannot set option " + option + " of a UDP socket to " + value,
                        state,
                        "use another value");
            }
        }
    }

    /** Sets an option that older kernels do not have; returns whether this kernel has it. */
    boolean accepts(int level, int option, int value) {
        try {
            set(level, option, value);
            return true;
        } catch (SocketException olderKernel) {
            return false;
        }
    }

    /**
     * Sets a buffer size; returns the size that the kernel granted, which doubles the value to
     * allow for its own overhead.
     */
    int bufferSize(int option, int bytes) {
        set(LinuxAbi.SOL_SOCKET, option, bytes);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = SocketCalls.allocateState(arena);
            MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
            length.set(ValueLayout.JAVA_INT, 0, Integer.BYTES);
            if (SocketCalls.getsockopt(
                            state,
                            fd,
                            LinuxAbi.SOL_SOCKET,
                            option,
                            value.address(),
                            length.address())
                    < 0) {
                throw SocketCalls.failure("cannot read a socket option", state, "report this bug");
            }
            return value.get(ValueLayout.JAVA_INT, 0) / 2;
        }
    }

    /**
     * Sets an option about a multicast group on an interface.
     *
     * @param what beginning of the error message.
     */
    void group(int option, InetAddress group, MulticastInterface on, String what) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = SocketCalls.allocateState(arena);
            MemorySegment request = arena.allocate(LinuxAbi.GroupRequest.SIZE, Integer.BYTES);
            put(request, LinuxAbi.GroupRequest.GROUP, group);
            if (on.name() == null) {
                put(request, LinuxAbi.GroupRequest.LOCAL, on.local());
            } else {
                request.set(
                        ValueLayout.JAVA_INT,
                        LinuxAbi.GroupRequest.INTERFACE,
                        interfaceNumber(arena, state, on.name()));
            }
            if (SocketCalls.setsockopt(
                            state,
                            fd,
                            LinuxAbi.IPPROTO_IP,
                            option,
                            request.address(),
                            LinuxAbi.GroupRequest.SIZE)
                    < 0) {
                throw SocketCalls.failure(
                        what + " on interface " + on,
                        state,
                        "use the address of a multicast-capable interface (`ip address`)");
            }
        }
    }

    private static void put(MemorySegment request, int offset, InetAddress address) {
        MemorySegment.copy(address.getAddress(), 0, request, ValueLayout.JAVA_BYTE, offset, 4);
    }

    private static int interfaceNumber(Arena arena, MemorySegment state, String name) {
        int number = SocketCalls.interfaceNumber(state, arena.allocateFrom(name).address());
        if (number == 0) {
            throw SocketCalls.failure(
                    "there is no interface '" + name + "'",
                    state,
                    "use an interface that `ip address` shows");
        }
        return number;
    }
}
