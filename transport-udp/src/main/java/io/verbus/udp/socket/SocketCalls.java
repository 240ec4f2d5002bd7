// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/**
 * System calls. All enter the kernel, where sending may run the receive path of the loopback
 * device, so none is critical: a critical call would delay safepoints.
 *
 * <p>Calls on the data path do not capture errno, which would cost a quarter of a call that finds
 * nothing. The others take memory in which to capture it.
 */
@SuppressWarnings("restricted")
final class SocketCalls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final long ERRNO_OFFSET =
            Linker.Option.captureStateLayout()
                    .byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle SOCKET = handle("socket", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = handle("bind", JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle CONNECT = handle("connect", JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle NAME = handle("getsockname", JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle SET_OPTION =
            handle("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle GET_OPTION =
            handle("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle CLOSE = handle("close", JAVA_INT);
    private static final MethodHandle DUPLICATE = handle("dup3", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle INTERFACE_NUMBER = handle("if_nametoindex", JAVA_LONG);
    private static final MethodHandle SEND_ONE =
            directHandle(
                    "sendto",
                    LinuxAbi.SYS_SENDTO,
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG,
                            JAVA_INT));
    private static final MethodHandle RECEIVE_ONE =
            directHandle(
                    "recvfrom",
                    LinuxAbi.SYS_RECVFROM,
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG,
                            JAVA_LONG));
    private static final MethodHandle SEND =
            dataPathHandle("sendmmsg", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final MethodHandle SEND_WITH_ERRNO =
            handle("sendmmsg", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final MethodHandle RECEIVE =
            dataPathHandle("recvmmsg", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle ERROR_TEXT =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("strerror"),
                    FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private SocketCalls() {}

    /** Links all calls, if that has not happened yet. */
    static void link() {
        // The initialization of this class links the calls.
    }

    /** Allocates memory for errno. */
    static MemorySegment allocateState(Arena arena) {
        return arena.allocate(Linker.Option.captureStateLayout());
    }

    /** Returns the {@code errno} of the last call that captured it in this memory. */
    static int errno(MemorySegment state) {
        return state.get(JAVA_INT, ERRNO_OFFSET);
    }

    /**
     * @see <a href="https://man7.org/linux/man-pages/man2/socket.2.html">socket(2)</a>
     */
    static int socket(MemorySegment state, int family, int type) {
        try {
            return (int) SOCKET.invokeExact(state, family, type, 0);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @see <a href="https://man7.org/linux/man-pages/man2/bind.2.html">bind(2)</a>
     */
    static int bind(MemorySegment state, int fd, long address, int length) {
        try {
            return (int) BIND.invokeExact(state, fd, address, length);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @see <a href="https://man7.org/linux/man-pages/man2/connect.2.html">connect(2)</a>
     */
    static int connect(MemorySegment state, int fd, long address, int length) {
        try {
            return (int) CONNECT.invokeExact(state, fd, address, length);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @see <a href="https://man7.org/linux/man-pages/man2/getsockname.2.html">getsockname(2)</a>
     */
    static int getsockname(MemorySegment state, int fd, long address, long length) {
        try {
            return (int) NAME.invokeExact(state, fd, address, length);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @see <a href="https://man7.org/linux/man-pages/man2/setsockopt.2.html">setsockopt(2)</a>
     */
    static int setsockopt(
            MemorySegment state, int fd, int level, int option, long value, int length) {
        try {
            return (int) SET_OPTION.invokeExact(state, fd, level, option, value, length);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @see <a href="https://man7.org/linux/man-pages/man2/getsockopt.2.html">getsockopt(2)</a>
     */
    static int getsockopt(
            MemorySegment state, int fd, int level, int option, long value, long length) {
        try {
            return (int) GET_OPTION.invokeExact(state, fd, level, option, value, length);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @see <a href="https://man7.org/linux/man-pages/man2/close.2.html">close(2)</a>
     */
    static int close(MemorySegment state, int fd) {
        try {
            return (int) CLOSE.invokeExact(state, fd);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @see <a href="https://man7.org/linux/man-pages/man2/dup.2.html">dup(2)</a>
     */
    static int dup3(MemorySegment state, int fd, int newFd, int flags) {
        try {
            return (int) DUPLICATE.invokeExact(state, fd, newFd, flags);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @return interface index, or 0.
     * @see <a
     *     href="https://man7.org/linux/man-pages/man3/if_nametoindex.3.html">if_nametoindex(3)</a>
     */
    static int interfaceNumber(MemorySegment state, long name) {
        try {
            return (int) INTERFACE_NUMBER.invokeExact(state, name);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @return number of bytes sent, or -1.
     * @see <a href="https://man7.org/linux/man-pages/man2/sendto.2.html">sendto(2)</a>
     */
    static long sendto(int fd, long datagram, long length, long receiver, int receiverLength) {
        try {
            return (long) SEND_ONE.invokeExact(fd, datagram, length, 0, receiver, receiverLength);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @return number of bytes received, or -1 if there is no datagram.
     * @see <a href="https://man7.org/linux/man-pages/man2/recvfrom.2.html">recvfrom(2)</a>
     */
    static long recvfrom(int fd, long buffer, long capacity, long sender, long senderLength) {
        try {
            return (long) RECEIVE_ONE.invokeExact(fd, buffer, capacity, 0, sender, senderLength);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @return number of messages sent, or -1.
     * @see <a href="https://man7.org/linux/man-pages/man2/sendmmsg.2.html">sendmmsg(2)</a>
     */
    static int sendmmsg(int fd, long messages, int count) {
        try {
            return (int) SEND.invokeExact(fd, messages, count, 0);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /** Like {@link #sendmmsg(int, long, int)}, but captures errno. */
    static int sendmmsg(MemorySegment state, int fd, long messages, int count) {
        try {
            return (int) SEND_WITH_ERRNO.invokeExact(state, fd, messages, count, 0);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * @return number of messages received, or -1 if there are none.
     * @see <a href="https://man7.org/linux/man-pages/man2/recvmmsg.2.html">recvmmsg(2)</a>
     */
    static int recvmmsg(int fd, long messages, int count) {
        try {
            return (int) RECEIVE.invokeExact(fd, messages, count, 0, 0L);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /** Returns the text of an errno. */
    static String errorText(int errno) {
        try {
            MemorySegment text = (MemorySegment) ERROR_TEXT.invokeExact(errno);
            return text.reinterpret(1024).getString(0);
        } catch (Throwable thrown) {
            throw unexpected(thrown);
        }
    }

    /**
     * Creates a handle that bypasses the C library's function, which is a cancellation point: its
     * checks take a tenth of the time of a call that finds nothing.
     *
     * @see <a href="https://man7.org/linux/man-pages/man2/syscall.2.html">syscall(2)</a>
     */
    private static MethodHandle directHandle(
            String symbol, long number, FunctionDescriptor function) {
        if (!System.getProperty("os.arch").equals("amd64")) {
            return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(symbol), function);
        }
        MethodHandle call =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("syscall"),
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                                JAVA_LONG, JAVA_LONG),
                        Linker.Option.firstVariadicArg(1));
        return MethodHandles.insertArguments(call, 0, number).asType(function.toMethodType());
    }

    private static MethodHandle dataPathHandle(String symbol, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(symbol),
                FunctionDescriptor.of(JAVA_INT, arguments));
    }

    private static MethodHandle handle(String symbol, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(symbol),
                FunctionDescriptor.of(JAVA_INT, arguments),
                Linker.Option.captureCallState("errno"));
    }

    /** Converts an exception thrown by a downcall, which can only be a JVM error. */
    private static Error unexpected(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw new AssertionError("a native call threw", thrown);
    }

    /**
     * Returns the exception for a failed call.
     *
     * @param what what failed.
     * @param state state of the call, with its error number.
     * @param remedy what the user can do.
     */
    static SocketException failure(String what, MemorySegment state, String remedy) {
        int errno = errno(state);
        return new SocketException(
                what + " (" + errorText(errno) + ", errno " + errno + "): " + remedy);
    }
}
