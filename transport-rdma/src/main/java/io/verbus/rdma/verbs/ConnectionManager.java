// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.ConnectionOptions;

import org.agrona.ErrorHandler;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The connection manager: one event channel, and the calls on its ids. A device or a peer can delay
 * these calls. Thread-safe, provided that each id is used by one thread at a time and a single
 * thread reads events.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/rdma_cm.7.html">rdma_cm(7)</a>
 */
final class ConnectionManager implements AutoCloseable {
    /** Time limit for resolving an address or a route. */
    private static final int RESOLVE_TIMEOUT_MS = 2_000;

    private static final int BACKLOG = 64;

    /** Inline lengths to try in turn if a device does not support the requested one. */
    private static final int[] INLINE_LENGTHS = {ConnectionOptions.MAX_INLINE, 96, 64, 32};

    /**
     * Maximum number of outstanding reads and atomics. None are used, but some providers require at
     * least one.
     */
    private static final byte READ_DEPTH = 1;

    private final Rdmacm rdmacm;
    private final ErrorHandler errors;
    private final Arena arena = Arena.ofShared();
    private final long channel;
    private final long poll;
    private final long nextEvent;

    /**
     * Owners of ids. An id is destroyed only after its events are acknowledged, so no pending event
     * refers to a reused id.
     */
    private final Map<Long, Object> owners = new ConcurrentHashMap<>();

    /**
     * Held while reading an event and while destroying a queue pair. When librdmacm reads the
     * answer to a connection request, it brings up the queue pair, and crashes if another thread
     * destroys the queue pair during the call.
     */
    private final ReentrantLock queuePairs = new ReentrantLock();

    /** Creates owners of connection requests. */
    interface Requests {
        /** Returns the owner of a new id, or null to drop the request. */
        Object onRequest(VerbsListener listener, long id);
    }

    /**
     * @param errors handler to notify of failures to release resources.
     */
    ConnectionManager(Rdmacm rdmacm, ErrorHandler errors) {
        this.rdmacm = rdmacm;
        this.errors = errors;
        channel = rdmacm.createEventChannel();
        if (channel == 0) {
            throw VerbsException.of(
                    "rdma_create_event_channel",
                    NativeFunction.errno(),
                    "cannot use the RDMA connection manager",
                    "");
        }
        try {
            Posix.setNonBlocking(Memory.getInt(channel + VerbsAbi.EventChannel.FD));
        } catch (RuntimeException refused) {
            rdmacm.destroyEventChannel(channel);
            throw refused;
        }
        poll = Posix.allocatePoll(arena, Memory.getInt(channel + VerbsAbi.EventChannel.FD));
        nextEvent = arena.allocate(Long.BYTES, Long.BYTES).address();
    }

    /**
     * @param owner receiver of the id's events.
     */
    long createId(Object owner) {
        try (Arena call = Arena.ofConfined()) {
            long result = call.allocate(Long.BYTES, Long.BYTES).address();
            check(
                    rdmacm.createId(channel, result, VerbsAbi.RDMA_PS_TCP),
                    "rdma_create_id",
                    "cannot create a connection");
            long id = Memory.getLong(result);
            owners.put(id, owner);
            return id;
        }
    }

    void destroyId(long id) {
        owners.remove(id);
        if (rdmacm.destroyId(id) != 0) {
            errors.onError(failure("rdma_destroy_id", "cannot destroy a connection"));
        }
    }

    /** Listens at the address to which an id is bound. */
    void listen(long id, InetSocketAddress address) {
        check(
                rdmacm.listen(id, BACKLOG),
                "rdma_listen",
                "cannot listen at " + SocketAddresses.text(address));
    }

    /** Binds an id to an address and its device. */
    void bind(long id, InetSocketAddress address) {
        try (Arena call = Arena.ofConfined()) {
            check(
                    rdmacm.bindAddr(id, SocketAddresses.allocate(call, address)),
                    "rdma_bind_addr",
                    "cannot listen at " + SocketAddresses.text(address));
        }
    }

    void resolveAddress(long id, InetSocketAddress source, InetSocketAddress destination) {
        try (Arena call = Arena.ofConfined()) {
            check(
                    rdmacm.resolveAddr(
                            id,
                            source == null ? 0 : SocketAddresses.allocate(call, source),
                            SocketAddresses.allocate(call, destination),
                            RESOLVE_TIMEOUT_MS),
                    "rdma_resolve_addr",
                    "cannot connect to "
                            + SocketAddresses.text(destination)
                            + (source == null ? "" : " from " + SocketAddresses.text(source)));
        }
    }

    void resolveRoute(long id) {
        check(
                rdmacm.resolveRoute(id, RESOLVE_TIMEOUT_MS),
                "rdma_resolve_route",
                "no route to " + SocketAddresses.text(remoteAddress(id)));
    }

    /**
     * Sets the acknowledgement timeout. Called before the route is resolved, or before accepting.
     */
    void setAckTimeout(long id, int exponent) {
        setOption(
                id,
                VerbsAbi.RDMA_OPTION_ID_ACK_TIMEOUT,
                exponent,
                "cannot set the acknowledgement timeout to " + exponent);
    }

    /**
     * Sets the traffic class. Called before the route is resolved. The peer adopts it from the
     * connection request.
     *
     * @param trafficClass traffic class of RoCE packets, service type of iWARP packets, or QoS
     *     class of an InfiniBand path.
     */
    void setTrafficClass(long id, int trafficClass) {
        setOption(
                id,
                VerbsAbi.RDMA_OPTION_ID_TOS,
                trafficClass,
                "cannot set the traffic class to " + trafficClass);
    }

    private void setOption(long id, int option, int value, String failure) {
        try (Arena call = Arena.ofConfined()) {
            long argument = call.allocate(Long.BYTES, Long.BYTES).address();
            Memory.putByte(argument, (byte) value);
            check(
                    rdmacm.setOption(id, VerbsAbi.RDMA_OPTION_ID, option, argument, Byte.BYTES),
                    "rdma_set_option",
                    failure);
        }
    }

    /**
     * Creates the queue pair of an id, with fewer inline bytes if the device does not support the
     * requested number.
     *
     * @return the capacity that the device granted.
     */
    Granted createQueuePair(
            long id, long pd, long sendCq, long recvCq, ConnectionOptions options, int gather) {
        try (Arena call = Arena.ofConfined()) {
            long attr = call.allocate(VerbsAbi.QpInitAttr.SIZE, Long.BYTES).address();
            int inline = options.maxInline();
            while (true) {
                Memory.putLong(attr + VerbsAbi.QpInitAttr.SEND_CQ, sendCq);
                Memory.putLong(attr + VerbsAbi.QpInitAttr.RECV_CQ, recvCq);
                Memory.putInt(attr + VerbsAbi.QpInitAttr.MAX_SEND_WR, options.sendDepth());
                Memory.putInt(attr + VerbsAbi.QpInitAttr.MAX_RECV_WR, options.receiveDepth());
                Memory.putInt(attr + VerbsAbi.QpInitAttr.MAX_SEND_SGE, gather);
                Memory.putInt(attr + VerbsAbi.QpInitAttr.MAX_RECV_SGE, 1);
                Memory.putInt(attr + VerbsAbi.QpInitAttr.MAX_INLINE_DATA, inline);
                Memory.putInt(attr + VerbsAbi.QpInitAttr.QP_TYPE, VerbsAbi.IBV_QPT_RC);
                Memory.putInt(attr + VerbsAbi.QpInitAttr.SQ_SIG_ALL, 0);
                if (rdmacm.createQp(id, pd, attr) == 0) {
                    return new Granted(
                            Memory.getInt(attr + VerbsAbi.QpInitAttr.MAX_SEND_WR),
                            Memory.getInt(attr + VerbsAbi.QpInitAttr.MAX_INLINE_DATA));
                }
                if (inline == 0 || NativeFunction.errno() != Errno.EINVAL) {
                    throw failure(
                            "rdma_create_qp",
                            "cannot create a queue pair for "
                                    + options.sendDepth()
                                    + " sends and "
                                    + options.receiveDepth()
                                    + " receives");
                }
                inline = nextInline(inline);
            }
        }
    }

    /**
     * Capacity granted to a queue pair. It may exceed the requested capacity, or have fewer inline
     * bytes.
     *
     * @param sendDepth maximum number of outstanding work requests.
     * @param inline maximum inline bytes of a work request.
     */
    record Granted(int sendDepth, int inline) {}

    /**
     * Returns the next smaller inline length. Limits of some adapters: irdma 101, bnxt_re 96, X722
     * 48.
     */
    private static int nextInline(int refused) {
        for (int bytes : INLINE_LENGTHS) {
            if (bytes < refused) {
                return bytes;
            }
        }
        return 0;
    }

    void destroyQueuePair(long id) {
        queuePairs.lock();
        try {
            rdmacm.destroyQp(id);
        } finally {
            queuePairs.unlock();
        }
    }

    void connect(long id, ConnectionOptions options, byte[] privateData) {
        try (Arena call = Arena.ofConfined()) {
            check(
                    rdmacm.connect(id, parameters(call, options, privateData)),
                    "rdma_connect",
                    "cannot connect to " + SocketAddresses.text(remoteAddress(id)));
        }
    }

    void accept(long id, ConnectionOptions options, byte[] privateData) {
        try (Arena call = Arena.ofConfined()) {
            check(
                    rdmacm.accept(id, parameters(call, options, privateData)),
                    "rdma_accept",
                    "cannot accept the connection from " + SocketAddresses.text(remoteAddress(id)));
        }
    }

    void reject(long id, byte[] privateData) {
        try (Arena call = Arena.ofConfined()) {
            long data = call.allocate(Math.max(1, privateData.length), Long.BYTES).address();
            Memory.putBytes(data, privateData);
            check(
                    rdmacm.reject(id, data, privateData.length),
                    "rdma_reject",
                    "cannot reject the connection from " + SocketAddresses.text(remoteAddress(id)));
        }
    }

    /** Disconnects from the peer, if connected. */
    void disconnect(long id) {
        int result = rdmacm.disconnect(id);
        // EINVAL: not connected, or the peer has already disconnected.
        if (result != 0 && NativeFunction.errno() != Errno.EINVAL) {
            errors.onError(failure("rdma_disconnect", "cannot disconnect a connection"));
        }
    }

    /**
     * Completes a connection whose first data arrived before the last handshake message. That
     * message may have been lost.
     */
    void notifyEstablished(long id) {
        // EINVAL: the message has arrived in the meantime.
        if (rdmacm.notify(id, VerbsAbi.IBV_EVENT_COMM_EST) != 0
                && NativeFunction.errno() != Errno.EINVAL) {
            errors.onError(failure("rdma_notify", "cannot complete a connection"));
        }
    }

    /** Returns whether an event can be read; does not block. */
    boolean hasEvent() {
        return Posix.isReadable(poll);
    }

    /**
     * Returns the next event whose id has an owner; the event is already acknowledged. The library
     * may connect a queue pair while it reads an event.
     *
     * @param requests creator of the owners of connection requests.
     * @return the event, or null if there is none.
     */
    CmEvent nextEvent(Requests requests) {
        while (read() == 0) {
            long address = Memory.getLong(nextEvent);
            long id = CmEvent.id(address);
            boolean isRequest = CmEvent.type(address) == VerbsAbi.RDMA_CM_EVENT_CONNECT_REQUEST;
            CmEvent event = isRequest ? request(address, id, requests) : event(address, id);
            check(
                    rdmacm.ackCmEvent(address),
                    "rdma_ack_cm_event",
                    "cannot acknowledge a connection event");
            if (event != null) {
                return event;
            }
            if (isRequest) {
                destroyId(id);
            }
        }
        if (NativeFunction.errno() != Errno.EAGAIN) {
            throw failure("rdma_get_cm_event", "cannot read connection events");
        }
        return null;
    }

    private int read() {
        queuePairs.lock();
        try {
            return rdmacm.getCmEvent(channel, nextEvent);
        } finally {
            queuePairs.unlock();
        }
    }

    private CmEvent request(long event, long id, Requests requests) {
        if (!(owners.get(CmEvent.listenId(event)) instanceof VerbsListener listener)) {
            return null;
        }
        Object owner = requests.onRequest(listener, id);
        if (owner == null) {
            return null;
        }
        owners.put(id, owner);
        return CmEvent.read(event, owner, listener);
    }

    private CmEvent event(long event, long id) {
        Object owner = owners.get(id);
        return owner == null ? null : CmEvent.read(event, owner, null);
    }

    InetSocketAddress localAddress(long id) {
        return SocketAddresses.read(id + VerbsAbi.CmId.SRC_ADDR);
    }

    InetSocketAddress remoteAddress(long id) {
        return SocketAddresses.read(id + VerbsAbi.CmId.DST_ADDR);
    }

    /** Returns the {@code struct ibv_context} to which an id is bound, or 0. */
    long context(long id) {
        return Memory.getLong(id + VerbsAbi.CmId.VERBS);
    }

    int port(long id) {
        return Byte.toUnsignedInt(Memory.getByte(id + VerbsAbi.CmId.PORT_NUM));
    }

    /** Closes the channel. Called once, after all its ids have been destroyed. */
    @Override
    public void close() {
        rdmacm.destroyEventChannel(channel);
        arena.close();
    }

    private static long parameters(Arena arena, ConnectionOptions options, byte[] privateData) {
        long data = arena.allocate(Math.max(1, privateData.length), Long.BYTES).address();
        Memory.putBytes(data, privateData);
        long target = arena.allocate(VerbsAbi.ConnParam.SIZE, Long.BYTES).address();
        Memory.putLong(target + VerbsAbi.ConnParam.PRIVATE_DATA, data);
        Memory.putByte(target + VerbsAbi.ConnParam.PRIVATE_DATA_LEN, (byte) privateData.length);
        Memory.putByte(target + VerbsAbi.ConnParam.RESPONDER_RESOURCES, READ_DEPTH);
        Memory.putByte(target + VerbsAbi.ConnParam.INITIATOR_DEPTH, READ_DEPTH);
        Memory.putByte(target + VerbsAbi.ConnParam.RETRY_COUNT, (byte) options.retryCount());
        Memory.putByte(target + VerbsAbi.ConnParam.RNR_RETRY_COUNT, (byte) options.rnrRetryCount());
        return target;
    }

    private static void check(int result, String call, String failure) {
        if (result != 0) {
            throw failure(call, failure);
        }
    }

    private static VerbsException failure(String call, String failure) {
        int errno = NativeFunction.errno();
        return VerbsException.of(call, errno, failure, addressRemedy(errno));
    }

    private static String addressRemedy(int errno) {
        return switch (errno) {
            case Errno.EADDRINUSE ->
                    "another process listens there; stop that process, or use another port";
            case Errno.EADDRNOTAVAIL, Errno.ENODEV ->
                    "the local address must be that of an RDMA device's network interface; `rdma"
                            + " link` shows which device has which interface";
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH ->
                    "there is no route to that address; check `ip route`";
            default -> "";
        };
    }
}
