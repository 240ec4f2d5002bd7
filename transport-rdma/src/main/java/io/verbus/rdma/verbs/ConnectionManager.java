// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.ConnectionOptions;

import org.agrona.ErrorHandler;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connection manager: one event channel, and the calls on its ids, which a device or a peer can
 * hold. Any thread; one at a time for each id, and one that reads events.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/rdma_cm.7.html">rdma_cm(7)</a>
 */
final class ConnectionManager implements AutoCloseable {
    /** Time that resolving an address, or a route, may take. */
    private static final int RESOLVE_TIMEOUT_MS = 2_000;

    private static final int BACKLOG = 64;

    /** Tried in turn where a device does not give as many bytes inline as are asked for. */
    private static final int[] INLINE_LENGTHS = {ConnectionOptions.MAX_INLINE, 96, 64, 32};

    /** Reads and atomics that may be outstanding: none is used, some providers want one. */
    private static final byte READ_DEPTH = 1;

    private final Rdmacm rdmacm;
    private final ErrorHandler errors;
    private final Arena arena = Arena.ofShared();
    private final long channel;
    private final long poll;
    private final long nextEvent;

    /**
     * What each id is for. An id is destroyed only when its events are acknowledged, so that as
     * long as one is not, the id is not another's.
     */
    private final Map<Long, Object> owners = new ConcurrentHashMap<>();

    /** Makes what a connection request is for. */
    interface Requests {
        /** The owner of a new id; null where the request is not taken. */
        Object onRequest(VerbsListener listener, long id);
    }

    /**
     * @param errors is told what cannot be taken down.
     */
    ConnectionManager(Rdmacm rdmacm, ErrorHandler errors) {
        this.rdmacm = rdmacm;
        this.errors = errors;
        channel = rdmacm.createEventChannel();
        if (channel == 0) {
            throw VerbsException.of(
                    "rdma_create_event_channel",
                    NativeFunction.errno(),
                    "the RDMA connection manager cannot be used",
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
     * @param owner that the id's events are for.
     */
    long createId(Object owner) {
        try (Arena call = Arena.ofConfined()) {
            long result = call.allocate(Long.BYTES, Long.BYTES).address();
            check(
                    rdmacm.createId(channel, result, VerbsAbi.RDMA_PS_TCP),
                    "rdma_create_id",
                    "a connection cannot be begun");
            long id = Memory.getLong(result);
            owners.put(id, owner);
            return id;
        }
    }

    void destroyId(long id) {
        owners.remove(id);
        if (rdmacm.destroyId(id) != 0) {
            errors.onError(failure("rdma_destroy_id", "a connection cannot be taken down"));
        }
    }

    void listen(long id, InetSocketAddress address) {
        bind(id, address);
        check(
                rdmacm.listen(id, BACKLOG),
                "rdma_listen",
                "cannot listen at " + SocketAddresses.text(address));
    }

    /** Binds an id to an address, and with it to the address's device. */
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

    /** Before the route is resolved, or before accepting. */
    void setAckTimeout(long id, int exponent) {
        setOption(
                id,
                VerbsAbi.RDMA_OPTION_ID_ACK_TIMEOUT,
                exponent,
                "the acknowledgement timeout " + exponent + " cannot be set");
    }

    /**
     * Before the route is resolved. The peer's end takes it over from the connection request.
     *
     * @param trafficClass of RoCE packets, service type of iWARP's, or QoS class of an InfiniBand
     *     path.
     */
    void setTrafficClass(long id, int trafficClass) {
        setOption(
                id,
                VerbsAbi.RDMA_OPTION_ID_TOS,
                trafficClass,
                "the traffic class " + trafficClass + " cannot be set");
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
     * Creates the queue pair of an id, with fewer bytes inline where the device does not give as
     * many.
     *
     * @return what the device has given.
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
                            "no queue pair of "
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
     * What a device gives a queue pair: more than it was asked for, the same, or fewer bytes
     * inline.
     *
     * @param sendDepth work requests that may be outstanding.
     * @param inline bytes that a work request carries.
     */
    record Granted(int sendDepth, int inline) {}

    /** The most that is less and that some adapters give: irdma 101, bnxt_re 96, X722 48. */
    private static int nextInline(int refused) {
        for (int bytes : INLINE_LENGTHS) {
            if (bytes < refused) {
                return bytes;
            }
        }
        return 0;
    }

    void destroyQueuePair(long id) {
        rdmacm.destroyQp(id);
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
                    "cannot accept " + SocketAddresses.text(remoteAddress(id)));
        }
    }

    void reject(long id, byte[] privateData) {
        try (Arena call = Arena.ofConfined()) {
            long data = call.allocate(Math.max(1, privateData.length), Long.BYTES).address();
            Memory.putBytes(data, privateData);
            check(
                    rdmacm.reject(id, data, privateData.length),
                    "rdma_reject",
                    "cannot refuse " + SocketAddresses.text(remoteAddress(id)));
        }
    }

    /** Tells the peer, if there is a connection to leave. */
    void disconnect(long id) {
        int result = rdmacm.disconnect(id);
        // EINVAL: not connected, or the peer was first.
        if (result != 0 && NativeFunction.errno() != Errno.EINVAL) {
            errors.onError(failure("rdma_disconnect", "a connection cannot be left"));
        }
    }

    /**
     * The peer's first data has come before the last message of its handshake, which may be lost.
     */
    void notifyEstablished(long id) {
        // EINVAL: the message has come meanwhile.
        if (rdmacm.notify(id, VerbsAbi.IBV_EVENT_COMM_EST) != 0
                && NativeFunction.errno() != Errno.EINVAL) {
            errors.onError(failure("rdma_notify", "a connection cannot be completed"));
        }
    }

    /** Whether an event can be read; does not wait. */
    boolean hasEvent() {
        return Posix.isReadable(poll);
    }

    /**
     * The next event that is somebody's, acknowledged. The library may connect a queue pair to read
     * one.
     *
     * @param requests makes the owners of connection requests.
     * @return null if there is none.
     */
    CmEvent nextEvent(Requests requests) {
        while (rdmacm.getCmEvent(channel, nextEvent) == 0) {
            long address = Memory.getLong(nextEvent);
            long id = CmEvent.id(address);
            boolean isRequest = CmEvent.type(address) == VerbsAbi.RDMA_CM_EVENT_CONNECT_REQUEST;
            CmEvent event = isRequest ? request(address, id, requests) : event(address, id);
            check(rdmacm.ackCmEvent(address), "rdma_ack_cm_event", "an event stays");
            if (event != null) {
                return event;
            }
            if (isRequest) {
                destroyId(id);
            }
        }
        if (NativeFunction.errno() != Errno.EAGAIN) {
            throw failure("rdma_get_cm_event", "connection events cannot be read");
        }
        return null;
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

    /** The {@code struct ibv_context} that an id is bound to, or 0. */
    long context(long id) {
        return Memory.getLong(id + VerbsAbi.CmId.VERBS);
    }

    int port(long id) {
        return Byte.toUnsignedInt(Memory.getByte(id + VerbsAbi.CmId.PORT_NUM));
    }

    /** Closes the channel, once; its ids must be gone. */
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
            case Errno.EADDRINUSE -> "another process listens there; stop it or take another port";
            case Errno.EADDRNOTAVAIL, Errno.ENODEV ->
                    "the local address must be that of an RDMA device's network interface; `rdma"
                            + " link` shows which device has which interface";
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH -> "no route leads there; check `ip route`";
            default -> "";
        };
    }
}
