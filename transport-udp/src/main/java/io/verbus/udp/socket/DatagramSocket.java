// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A UDP socket that never blocks. Opened and closed by one thread; its descriptor may be used by
 * another in between.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/udp.7.html">udp(7)</a>
 */
public final class DatagramSocket implements AutoCloseable {
    private final int fd;
    private final boolean isIpv6;
    private InetSocketAddress localAddress;
    private boolean isClosed;

    /** Whether more datagrams may wait: of the thread that receives. */
    boolean isBusy;

    private DatagramSocket(int fd, boolean isIpv6) {
        this.fd = fd;
        this.isIpv6 = isIpv6;
    }

    /** Links the system calls, which takes long the first time in a process. Any thread. */
    public static void link() {
        SocketCalls.link();
    }

    /**
     * Opens a socket at an address of this host.
     *
     * @param address to bind to; port 0 lets the kernel choose.
     * @return the socket.
     * @throws SocketException if that is impossible; the message names cause and remedy.
     */
    public static DatagramSocket open(InetSocketAddress address) {
        return open(address, false);
    }

    /**
     * Opens a socket at an address that another has, which is about to be closed and {@link
     * #allowSuccessor allows} it.
     *
     * @param address to bind to.
     * @return the socket.
     * @throws SocketException if that is impossible; the message names cause and remedy.
     */
    public static DatagramSocket openAfter(InetSocketAddress address) {
        DatagramSocket socket = open(address, true);
        socket.share(false); // with the one before only
        return socket;
    }

    /** Allows one more socket at the address of this one, which is about to be closed. */
    public void allowSuccessor() {
        share(true);
    }

    private void share(boolean isShared) {
        try (Arena arena = Arena.ofConfined()) {
            set(
                    arena,
                    SocketCalls.allocateState(arena),
                    LinuxAbi.SOL_SOCKET,
                    LinuxAbi.SO_REUSEADDR,
                    isShared ? 1 : 0);
        }
    }

    /**
     * Opens a socket that receives what is sent to a multicast group. Others on this host may
     * receive it too.
     *
     * @param group to join, IPv4.
     * @param local address of the interface on which to join; the wildcard leaves it to the route.
     * @return the socket.
     * @throws SocketException if that is impossible; the message names cause and remedy.
     */
    public static DatagramSocket join(InetSocketAddress group, InetAddress local) {
        DatagramSocket socket = open(group, true);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = SocketCalls.allocateState(arena);
            MemorySegment request = arena.allocate(8, 4);
            MemorySegment.copy(
                    group.getAddress().getAddress(), 0, request, ValueLayout.JAVA_BYTE, 0, 4);
            MemorySegment.copy(local.getAddress(), 0, request, ValueLayout.JAVA_BYTE, 4, 4);
            if (SocketCalls.setsockopt(
                            state,
                            socket.fd,
                            LinuxAbi.IPPROTO_IP,
                            LinuxAbi.IP_ADD_MEMBERSHIP,
                            request.address(),
                            8)
                    < 0) {
                throw failure(
                        "cannot join the multicast group "
                                + SocketAddress.text(group)
                                + " on interface "
                                + local.getHostAddress(),
                        state,
                        "name the address of an interface that does multicast (`ip address`)");
            }
            socket.multicastFrom(local);
            return socket;
        } catch (SocketException e) {
            socket.close();
            throw e;
        }
    }

    private static DatagramSocket open(InetSocketAddress address, boolean isShared) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = SocketCalls.allocateState(arena);
            boolean isIpv6 = address.getAddress() instanceof Inet6Address;
            int fd =
                    SocketCalls.socket(
                            state,
                            isIpv6 ? LinuxAbi.AF_INET6 : LinuxAbi.AF_INET,
                            LinuxAbi.SOCK_DGRAM | LinuxAbi.SOCK_NONBLOCK | LinuxAbi.SOCK_CLOEXEC);
            if (fd < 0) {
                throw failure(
                        "cannot open a UDP socket",
                        state,
                        "raise the limit of open files (ulimit -n), or load the kernel's ipv6");
            }
            DatagramSocket socket = new DatagramSocket(fd, isIpv6);
            try {
                if (isShared) {
                    socket.set(arena, state, LinuxAbi.SOL_SOCKET, LinuxAbi.SO_REUSEADDR, 1);
                }
                socket.bind(arena, state, address);
                return socket;
            } catch (SocketException e) {
                socket.close();
                throw e;
            }
        }
    }

    private void bind(Arena arena, MemorySegment state, InetSocketAddress address) {
        SocketAddress wanted = new SocketAddress(address);
        if (SocketCalls.bind(state, fd, wanted.address(), wanted.length()) < 0) {
            throw failure(
                    "cannot bind a UDP socket to " + SocketAddress.text(address),
                    state,
                    "name an address of this host (`ip address` shows them) and a free port (`ss"
                            + " -uln` shows those in use)");
        }
        readLocalAddress(arena, state);
    }

    private void readLocalAddress(Arena arena, MemorySegment state) {
        MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
        length.set(ValueLayout.JAVA_INT, 0, LinuxAbi.SockAddr.IPV6_SIZE);
        MemorySegment name = arena.allocate(32, 8);
        if (SocketCalls.getsockname(state, fd, name.address(), length.address()) < 0) {
            throw failure("cannot read the address of a UDP socket", state, "report this");
        }
        SocketAddress bound = new SocketAddress();
        bound.read(new UnsafeBuffer(name.address(), 32), 0, length.get(ValueLayout.JAVA_INT, 0));
        localAddress = bound.toInet();
    }

    /**
     * Sends to one peer from now on, by one route, and takes datagrams of no other.
     *
     * @param peer to send to.
     * @throws SocketException if no route leads there.
     */
    public void connect(InetSocketAddress peer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = SocketCalls.allocateState(arena);
            SocketAddress wanted = new SocketAddress(peer);
            if (SocketCalls.connect(state, fd, wanted.address(), wanted.length()) < 0) {
                throw failure(
                        "no UDP socket at "
                                + SocketAddress.text(localAddress)
                                + " can send to "
                                + SocketAddress.text(peer),
                        state,
                        "name an interface address from which a route leads there (`ip route get"
                                + " ADDRESS`)");
            }
            readLocalAddress(arena, state); // the route has an address, where none was named
        }
    }

    /** The descriptor. */
    public int fd() {
        return fd;
    }

    /** Where it is bound. */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /**
     * Asks for a receive buffer.
     *
     * @param bytes of datagrams that are to fit.
     * @return what the kernel gives: it caps at {@code net.core.rmem_max}.
     */
    public int receiveBuffer(int bytes) {
        return bufferSize(LinuxAbi.SO_RCVBUF, bytes);
    }

    /**
     * Asks for a send buffer.
     *
     * @param bytes of datagrams that are to fit.
     * @return what the kernel gives: it caps at {@code net.core.wmem_max}.
     */
    public int sendBuffer(int bytes) {
        return bufferSize(LinuxAbi.SO_SNDBUF, bytes);
    }

    /** The kernel keeps, and gives back, twice of what is asked: the rest is for its own needs. */
    private int bufferSize(int option, int bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = SocketCalls.allocateState(arena);
            MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
            set(arena, state, LinuxAbi.SOL_SOCKET, option, bytes);
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
                throw failure("cannot read a socket option", state, "report this");
            }
            return value.get(ValueLayout.JAVA_INT, 0) / 2;
        }
    }

    /**
     * Sends to multicast groups through an interface.
     *
     * @param local address of the interface; the wildcard leaves it to the route.
     */
    public void multicastFrom(InetAddress local) {
        try (Arena arena = Arena.ofConfined()) {
            int address =
                    ByteBuffer.wrap(local.getAddress()).order(ByteOrder.nativeOrder()).getInt();
            set(
                    arena,
                    SocketCalls.allocateState(arena),
                    LinuxAbi.IPPROTO_IP,
                    LinuxAbi.IP_MULTICAST_IF,
                    address);
        }
    }

    /**
     * Limits how far datagrams to multicast groups go.
     *
     * @param hops that they may take.
     */
    public void multicastTtl(int hops) {
        try (Arena arena = Arena.ofConfined()) {
            set(
                    arena,
                    SocketCalls.allocateState(arena),
                    LinuxAbi.IPPROTO_IP,
                    LinuxAbi.IP_MULTICAST_TTL,
                    hops);
        }
    }

    /**
     * Limits how far datagrams go.
     *
     * @param hops that they may take.
     */
    public void ttl(int hops) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = SocketCalls.allocateState(arena);
            set(
                    arena,
                    state,
                    isIpv6 ? LinuxAbi.IPPROTO_IPV6 : LinuxAbi.IPPROTO_IP,
                    isIpv6 ? LinuxAbi.IPV6_UNICAST_HOPS : LinuxAbi.IP_TTL,
                    hops);
        }
    }

    /**
     * Asks whether the kernel cuts one long datagram into many on its way out (GSO).
     *
     * @see <a href="https://man7.org/linux/man-pages/man7/udp.7.html">udp(7)</a>
     */
    public boolean canSegment() {
        return accepts(LinuxAbi.UDP_SEGMENT, 0);
    }

    /**
     * Takes datagrams of one sender joined from now on, where they have arrived together (GRO).
     * Nothing tells them apart but what they hold.
     *
     * @return whether the kernel can do so.
     */
    public boolean receiveJoined() {
        return accepts(LinuxAbi.UDP_GRO, 1);
    }

    private boolean accepts(int option, int value) {
        try (Arena arena = Arena.ofConfined()) {
            set(arena, SocketCalls.allocateState(arena), LinuxAbi.SOL_UDP, option, value);
            return true;
        } catch (SocketException olderKernel) {
            return false;
        }
    }

    private void set(Arena arena, MemorySegment state, int level, int option, int value) {
        MemorySegment memory = arena.allocate(ValueLayout.JAVA_INT);
        memory.set(ValueLayout.JAVA_INT, 0, value);
        if (SocketCalls.setsockopt(state, fd, level, option, memory.address(), Integer.BYTES) < 0) {
            throw failure(
                    "cannot set option " + option + " of a UDP socket to " + value,
                    state,
                    "choose another value");
        }
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try (Arena arena = Arena.ofConfined()) {
            SocketCalls.close(SocketCalls.allocateState(arena), fd);
        }
    }

    private static SocketException failure(String what, MemorySegment state, String remedy) {
        int errno = SocketCalls.errno(state);
        return new SocketException(
                what + " (" + SocketCalls.errorText(errno) + ", errno " + errno + "): " + remedy);
    }
}
