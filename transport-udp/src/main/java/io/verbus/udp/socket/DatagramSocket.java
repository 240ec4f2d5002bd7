// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

import io.verbus.channel.Endpoint;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Non-blocking UDP socket. Opened and closed by one thread; another may use its descriptor in
 * between.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/udp.7.html">udp(7)</a>
 */
public final class DatagramSocket implements AutoCloseable {
    private final int fd;
    private final boolean isIpv6;
    private final SocketOptions options;

    /** Address requested in the constructor or last bind. */
    private InetSocketAddress requested;

    /** Bound address. Written by the thread that binds or connects the socket; read by any. */
    private volatile InetSocketAddress localAddress;

    /** Whether datagrams carry the local address that they were sent to. */
    private boolean tellsLocal;

    /**
     * Whether datagrams carry the time at which they were received. Written by the thread that
     * opened the socket; read by the receiving thread.
     */
    private volatile boolean tellsTime;

    private boolean isClosed;

    /** Whether more datagrams may be waiting. Used by the receiving thread. */
    boolean isBusy;

    private DatagramSocket(int fd, boolean isIpv6) {
        this.fd = fd;
        this.isIpv6 = isIpv6;
        options = new SocketOptions(fd);
    }

    /** Links the system calls, which is slow the first time in a process. Thread-safe. */
    public static void link() {
        SocketCalls.link();
    }

    /**
     * Opens a socket at a local address.
     *
     * @param address address to bind to; port 0 lets the kernel choose.
     * @return the socket.
     * @throws SocketException if the socket cannot be opened; the message gives cause and remedy.
     */
    public static DatagramSocket open(InetSocketAddress address) {
        return open(address, false);
    }

    /**
     * Opens a socket at the address of another socket that is about to be closed and has
     * {@linkplain #allowSuccessor allowed a successor}.
     *
     * @param address address to bind to.
     * @return the socket.
     * @throws SocketException if the socket cannot be opened; the message gives cause and remedy.
     */
    public static DatagramSocket openAfter(InetSocketAddress address) {
        DatagramSocket socket = open(address, true);
        socket.share(false); // only the predecessor may share the address
        return socket;
    }

    /**
     * Allows one more socket at this socket's address; called when this one is about to be closed.
     */
    public void allowSuccessor() {
        share(true);
    }

    private void share(boolean isShared) {
        options.set(LinuxAbi.SOL_SOCKET, LinuxAbi.SO_REUSEADDR, isShared ? 1 : 0);
    }

    /**
     * Opens a socket that receives the datagrams sent to a multicast group on an interface. Other
     * sockets on this host may receive them, too.
     *
     * @param group IPv4 group to join.
     * @param on interface on which to join the group.
     * @return the socket.
     * @throws SocketException if the socket cannot be opened; the message gives cause and remedy.
     */
    public static DatagramSocket join(InetSocketAddress group, MulticastInterface on) {
        return join(group, on, "the multicast group " + Endpoint.text(group));
    }

    /**
     * Like {@link #join(InetSocketAddress, MulticastInterface)}.
     *
     * @param name description of the group for errors.
     */
    public static DatagramSocket join(InetSocketAddress group, MulticastInterface on, String name) {
        DatagramSocket socket = open(group, true);
        try {
            // By default, the socket would receive from every group that any socket on this host
            // has joined.
            socket.options.set(LinuxAbi.IPPROTO_IP, LinuxAbi.IP_MULTICAST_ALL, 0);
            socket.options.group(
                    LinuxAbi.IP_ADD_MEMBERSHIP, group.getAddress(), on, "cannot join " + name);
            socket.multicastFrom(on);
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
                throw SocketCalls.failure(
                        "cannot open a UDP socket",
                        state,
                        "raise the limit on open files (`ulimit -n`), or load the kernel's ipv6"
                                + " module");
            }
            DatagramSocket socket = new DatagramSocket(fd, isIpv6);
            try {
                if (isShared) {
                    socket.share(true);
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
        requested = address;
        if (!isBound(state, address)) {
            throw SocketCalls.failure(
                    "cannot bind a UDP socket to " + Endpoint.text(address),
                    state,
                    "use an address of this host (`ip address` lists them all) and a free port"
                            + " (`ss -uln` lists the ports in use)");
        }
        readLocalAddress(arena, state);
    }

    private boolean isBound(MemorySegment state, InetSocketAddress address) {
        SocketAddress wanted = new SocketAddress(address);
        return SocketCalls.bind(state, fd, wanted.address(), wanted.length()) == 0;
    }

    private void readLocalAddress(Arena arena, MemorySegment state) {
        MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
        length.set(ValueLayout.JAVA_INT, 0, LinuxAbi.SockAddr.IPV6_SIZE);
        MemorySegment name = arena.allocate(32, 8);
        if (SocketCalls.getsockname(state, fd, name.address(), length.address()) < 0) {
            throw SocketCalls.failure(
                    "cannot read the address of a UDP socket", state, "report this bug");
        }
        SocketAddress bound = new SocketAddress();
        bound.read(new UnsafeBuffer(name.address(), 32), 0, length.get(ValueLayout.JAVA_INT, 0));
        localAddress = bound.toInet();
    }

    /**
     * Connects the socket, so that it uses one route to one peer and ignores datagrams from others.
     *
     * @param peer address of the peer.
     * @throws SocketException if there is no route to the peer.
     */
    public void connect(InetSocketAddress peer) {
        try (Arena arena = Arena.ofConfined()) {
            connect(arena, SocketCalls.allocateState(arena), peer);
        }
    }

    private void connect(Arena arena, MemorySegment state, InetSocketAddress peer) {
        SocketAddress wanted = new SocketAddress(peer);
        if (SocketCalls.connect(state, fd, wanted.address(), wanted.length()) < 0) {
            throw SocketCalls.failure(
                    "no route from the UDP socket at "
                            + Endpoint.text(localAddress)
                            + " to "
                            + Endpoint.text(peer),
                    state,
                    "use an interface address that has a route to the peer (`ip route get"
                            + " ADDRESS`)");
        }
        readLocalAddress(arena, state); // an unspecified address is now the route's
    }

    /**
     * Connects the socket again, using the current route: a connected socket keeps the source
     * address of an earlier route. The port stays the same, unless another socket takes it in the
     * meantime. Called by the thread that uses the socket.
     *
     * @param peer address of the peer, the same as before or another.
     * @throws SocketException if there is no route to the peer.
     */
    public void reconnect(InetSocketAddress peer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = SocketCalls.allocateState(arena);
            MemorySegment none = arena.allocate(LinuxAbi.SockAddr.IPV4_SIZE, Long.BYTES);
            none.set(ValueLayout.JAVA_SHORT, 0, (short) LinuxAbi.AF_UNSPEC);
            int port = localAddress.getPort();
            if (SocketCalls.connect(state, fd, none.address(), (int) none.byteSize()) < 0) {
                throw SocketCalls.failure(
                        "cannot disconnect a UDP socket", state, "report this bug");
            }
            readLocalAddress(arena, state);
            if (localAddress.getPort() == 0
                    && !isBound(state, new InetSocketAddress(requested.getAddress(), port))) {
                bind(arena, state, requested);
            }
            connect(arena, state, peer);
        }
    }

    /**
     * Returns the local address from which an unbound socket sends to a peer.
     *
     * @param peer address of the peer.
     * @throws SocketException if there is no route to the peer.
     */
    public static InetAddress sourceTo(InetSocketAddress peer) {
        String wildcard = peer.getAddress() instanceof Inet6Address ? "::" : "0.0.0.0";
        try (DatagramSocket probe =
                open(new InetSocketAddress(InetAddress.ofLiteral(wildcard), 0))) {
            probe.connect(peer);
            return probe.localAddress.getAddress();
        }
    }

    /** Returns whether an address belongs to this host. */
    public static boolean isLocal(InetAddress address) {
        try (DatagramSocket probe = open(new InetSocketAddress(address, 0))) {
            return probe.localAddress != null;
        } catch (SocketException foreign) {
            return false;
        }
    }

    /**
     * Replaces this socket's descriptor by another's: threads that use this socket use the new one
     * from their next call on. Closes the other object.
     *
     * @param other socket of the same kind, not in use by any thread.
     */
    public void become(DatagramSocket other) {
        try (Arena arena = Arena.ofConfined();
                other) {
            MemorySegment state = SocketCalls.allocateState(arena);
            if (SocketCalls.dup3(state, other.fd, fd, LinuxAbi.O_CLOEXEC) < 0) {
                throw SocketCalls.failure("cannot replace a UDP socket", state, "report this bug");
            }
            requested = other.requested;
            localAddress = other.localAddress;
            tellsTime = other.tellsTime;
        }
    }

    /**
     * Makes datagrams carry the local address that they were sent to, so that replies can be sent
     * from it. Called before another thread uses the socket.
     */
    public void tellLocal() {
        options.set(
                isIpv6 ? LinuxAbi.IPPROTO_IPV6 : LinuxAbi.IPPROTO_IP,
                isIpv6 ? LinuxAbi.IPV6_RECVPKTINFO : LinuxAbi.IP_PKTINFO,
                1);
        tellsLocal = true;
    }

    /**
     * Makes datagrams carry the time at which the kernel received them and, if requested, the time
     * at which the adapter received them, if the adapter has timestamps enabled. Another thread may
     * use the socket in the meantime. Idempotent.
     *
     * @param isOfAdapter whether to request the adapter's time, too.
     * @see <a href="https://docs.kernel.org/networking/timestamping.html">timestamping</a>
     */
    public void tellTime(boolean isOfAdapter) {
        if (tellsTime) {
            return;
        }
        options.set(LinuxAbi.SOL_SOCKET, LinuxAbi.SO_TIMESTAMPNS, 1);
        if (isOfAdapter) {
            options.set(
                    LinuxAbi.SOL_SOCKET, LinuxAbi.SO_TIMESTAMPING, LinuxAbi.TIMESTAMPING_ADAPTER);
        }
        tellsTime = true;
    }

    /** Returns whether datagrams carry the time at which they were received. */
    public boolean tellsTime() {
        return tellsTime;
    }

    /** Returns whether datagrams carry control messages that are read. */
    boolean tellsMore() {
        return tellsLocal || tellsTime;
    }

    /** Returns the file descriptor. */
    public int fd() {
        return fd;
    }

    /** Returns the bound address. */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    /**
     * Requests a receive buffer.
     *
     * @param bytes size in bytes.
     * @return the size granted by the kernel, at most {@code net.core.rmem_max}.
     */
    public int receiveBuffer(int bytes) {
        return options.bufferSize(LinuxAbi.SO_RCVBUF, bytes);
    }

    /**
     * Requests a send buffer.
     *
     * @param bytes size in bytes.
     * @return the size granted by the kernel, at most {@code net.core.wmem_max}.
     */
    public int sendBuffer(int bytes) {
        return options.bufferSize(LinuxAbi.SO_SNDBUF, bytes);
    }

    /** Selects the interface for sending to multicast groups. */
    public void multicastFrom(MulticastInterface interfaceToUse) {
        options.group(
                LinuxAbi.IP_MULTICAST_IF,
                InetAddress.ofLiteral("0.0.0.0"),
                interfaceToUse,
                "cannot send to multicast groups");
    }

    /**
     * Sets the TTL of datagrams to multicast groups.
     *
     * @param hops number of hops.
     */
    public void multicastTtl(int hops) {
        options.set(LinuxAbi.IPPROTO_IP, LinuxAbi.IP_MULTICAST_TTL, hops);
    }

    /**
     * Sets the TTL of datagrams.
     *
     * @param hops number of hops.
     */
    public void ttl(int hops) {
        options.set(
                isIpv6 ? LinuxAbi.IPPROTO_IPV6 : LinuxAbi.IPPROTO_IP,
                isIpv6 ? LinuxAbi.IPV6_UNICAST_HOPS : LinuxAbi.IP_TTL,
                hops);
    }

    /**
     * Returns whether the kernel can segment outgoing datagrams (GSO).
     *
     * @see <a href="https://man7.org/linux/man-pages/man7/udp.7.html">udp(7)</a>
     */
    public boolean canSegment() {
        return options.accepts(LinuxAbi.SOL_UDP, LinuxAbi.UDP_SEGMENT, 0);
    }

    /**
     * Enables receiving joined datagrams of one sender that arrived together (GRO). Only their
     * content shows where each begins.
     *
     * @return whether the kernel supports it.
     */
    public boolean receiveJoined() {
        return options.accepts(LinuxAbi.SOL_UDP, LinuxAbi.UDP_GRO, 1);
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
}
