// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Detects changes of this host's links, addresses and routes, without details. Used by one thread.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/rtnetlink.7.html">rtnetlink(7)</a>
 */
public final class NetworkChanges implements AutoCloseable {
    private static final int NONE = -1;
    private static final int MAX_READ = 64;
    private static final int LENGTH = 1024;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment state = SocketCalls.allocateState(arena);
    private final long buffer = arena.allocate(LENGTH).address();
    private final int fd = open();

    private int open() {
        int opened =
                SocketCalls.socket(
                        state,
                        LinuxAbi.AF_NETLINK,
                        LinuxAbi.SOCK_RAW | LinuxAbi.SOCK_NONBLOCK | LinuxAbi.SOCK_CLOEXEC);
        if (opened < 0) {
            return NONE;
        }
        MemorySegment address = arena.allocate(LinuxAbi.NetlinkAddress.SIZE, Integer.BYTES);
        address.set(ValueLayout.JAVA_SHORT, LinuxAbi.SockAddr.FAMILY, (short) LinuxAbi.AF_NETLINK);
        address.set(ValueLayout.JAVA_INT, LinuxAbi.NetlinkAddress.GROUPS, LinuxAbi.NETLINK_GROUPS);
        if (SocketCalls.bind(state, opened, address.address(), LinuxAbi.NetlinkAddress.SIZE) < 0) {
            SocketCalls.close(state, opened);
            return NONE;
        }
        return opened;
    }

    /** Returns whether changes are reported at all; a sandbox may forbid it. */
    public boolean isTold() {
        return fd != NONE;
    }

    /** Returns whether anything has changed since the last call, or since construction. */
    public boolean poll() {
        boolean hasChanged = false;
        for (int i = 0; i < MAX_READ && fd != NONE; i++) {
            if (SocketCalls.recvfrom(fd, buffer, LENGTH, 0, 0) < 0) {
                return hasChanged;
            }
            hasChanged = true;
        }
        return hasChanged;
    }

    @Override
    public void close() {
        if (fd != NONE) {
            SocketCalls.close(state, fd);
        }
        arena.close();
    }
}
