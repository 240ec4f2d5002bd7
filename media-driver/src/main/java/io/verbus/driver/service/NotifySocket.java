// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.service;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbus.BusException;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * Sends datagrams to the service manager's socket, whose family and type the JDK does not support.
 * Thread-safe.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/unix.7.html">unix(7)</a>
 */
final class NotifySocket implements AutoCloseable {
    private static final short AF_UNIX = 1;
    private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x8_0000;
    private static final int MSG_NOSIGNAL = 0x4000;

    /** struct sockaddr_un: family, path. */
    private static final int PATH_OFFSET = 2;

    private static final int MAX_PATH = 108;

    private final String name;
    private final byte[] path;
    private final int descriptor;

    /**
     * Opens the socket.
     *
     * @param name path, or name prefixed with {@code @}, as in {@code NOTIFY_SOCKET}.
     * @throws BusException if the name is neither, or no socket can be opened.
     */
    NotifySocket(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (!name.matches("[/@].+") || bytes.length >= MAX_PATH) {
            throw new BusException(
                    "NOTIFY_SOCKET is '"
                            + name
                            + "': it must be an absolute path, or @ followed by an abstract"
                            + " socket name, and shorter than "
                            + MAX_PATH
                            + " bytes, as systemd sets it");
        }
        if (bytes[0] == '@') {
            bytes[0] = 0;
        }
        this.name = name;
        path = bytes;
        descriptor = Calls.socket();
        if (descriptor < 0) {
            throw new BusException(
                    "cannot create the socket for notifying the service manager: allow AF_UNIX in"
                            + " the unit's RestrictAddressFamilies");
        }
    }

    /**
     * Sends a datagram.
     *
     * @param text assignments, one per line.
     * @throws BusException if the service manager does not receive it.
     */
    void send(String text) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(PATH_OFFSET + path.length, Short.BYTES);
            address.set(JAVA_SHORT, 0, AF_UNIX);
            MemorySegment.copy(path, 0, address, JAVA_BYTE, PATH_OFFSET, path.length);
            int errno = Calls.sendto(descriptor, arena.allocateFrom(text), address);
            if (errno != 0) {
                throw new BusException(
                        "cannot notify the service manager at "
                                + name
                                + " (sendto failed with errno "
                                + errno
                                + "): unset NOTIFY_SOCKET unless systemd set it for this process");
            }
        }
    }

    @Override
    public void close() {
        Calls.close(descriptor);
    }

    /** The C library's functions; linked on first use. */
    @SuppressWarnings("restricted")
    private static final class Calls {
        private static final Linker LINKER = Linker.nativeLinker();
        private static final long ERRNO =
                Linker.Option.captureStateLayout()
                        .byteOffset(MemoryLayout.PathElement.groupElement("errno"));
        private static final MethodHandle SOCKET =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("socket"),
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT));
        private static final MethodHandle CLOSE =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("close"),
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT));
        private static final MethodHandle SENDTO =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("sendto"),
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT, ADDRESS,
                                JAVA_INT),
                        Linker.Option.captureCallState("errno"));

        private Calls() {}

        static int socket() {
            try {
                return (int) SOCKET.invokeExact((int) AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
            } catch (Throwable e) {
                throw new BusException("cannot call socket(): " + e, e);
            }
        }

        /**
         * @param text text with a terminating zero, which is not sent.
         * @return 0, or errno.
         */
        static int sendto(int descriptor, MemorySegment text, MemorySegment address) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
                long sent =
                        (long)
                                SENDTO.invokeExact(
                                        state,
                                        descriptor,
                                        text,
                                        text.byteSize() - 1,
                                        MSG_NOSIGNAL,
                                        address,
                                        (int) address.byteSize());
                return sent < 0 ? state.get(JAVA_INT, ERRNO) : 0;
            } catch (Throwable e) {
                throw new BusException("cannot call sendto(): " + e, e);
            }
        }

        static void close(int descriptor) {
            try {
                int ignored = (int) CLOSE.invokeExact(descriptor);
            } catch (Throwable e) {
                throw new BusException("cannot call close(): " + e, e);
            }
        }
    }
}
