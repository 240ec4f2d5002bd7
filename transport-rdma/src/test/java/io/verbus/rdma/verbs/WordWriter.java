// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.stream.IntStream;

/**
 * A queue pair of the extended verbs, the only ones with the RDMA Atomic Write. Writes batches of
 * two writes, the second of which is a Write or an Atomic Write of one word.
 */
@SuppressWarnings("restricted")
final class WordWriter implements AutoCloseable {
    private static final int DEPTH = 256;
    private static final int SIGNAL_INTERVAL = DEPTH / 4;
    private static final int PSN = 77;
    private static final int OUTSTANDING = 16;

    // Of infiniband/verbs.h in rdma-core 44: offsets in verbs_context (from the ibv_context at its
    // end), ibv_device_attr_ex, ibv_qp_init_attr_ex, ibv_qp_ex and ibv_qp_attr, and constants.
    private static final int CREATE_QP_EX = -56;
    private static final int QUERY_DEVICE_EX = -104;
    private static final int DEVICE_ATTR_EX_SIZE = 400;
    private static final int DEVICE_CAP_FLAGS_EX = 280;
    private static final long IB_UVERBS_DEVICE_ATOMIC_WRITE = 1L << 40;
    private static final int INIT_ATTR_EX_SIZE = 136;
    private static final int COMP_MASK = 60;
    private static final int PD = 64;
    private static final int SEND_OPS = 128;
    private static final int WR_ID = 168;
    private static final int WR_FLAGS = 176;
    private static final int WR_RDMA_WRITE = 224;
    private static final int WR_SET_SGE = 304;
    private static final int WR_START = 320;
    private static final int WR_COMPLETE = 328;
    private static final int WR_ATOMIC_WRITE = 344;
    private static final int QP_STATE = 0;
    private static final int RQ_PSN = 20;
    private static final int SQ_PSN = 24;
    private static final int DEST_QP_NUM = 28;
    private static final int QP_ACCESS_FLAGS = 32;
    private static final int DGID = 56;
    private static final int HOP_LIMIT = 77;
    private static final int IS_GLOBAL = 85;
    private static final int AH_PORT_NUM = 86;
    private static final int MAX_RD_ATOMIC = 126;
    private static final int MAX_DEST_RD_ATOMIC = 127;
    private static final int MIN_RNR_TIMER = 128;
    private static final int PORT_NUM = 129;
    private static final int INIT_MASK = 1 | 1 << 3 | 1 << 4 | 1 << 5;
    private static final int READY_TO_RECEIVE_MASK =
            1 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 15 | 1 << 17 | 1 << 20;
    private static final int READY_TO_SEND_MASK =
            1 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 13 | 1 << 16;
    private static final int INIT = 1;
    private static final int READY_TO_RECEIVE = 2;
    private static final int READY_TO_SEND = 3;
    private static final int IBV_QP_INIT_ATTR_PD = 1;
    private static final int IBV_QP_INIT_ATTR_SEND_OPS_FLAGS = 1 << 6;
    private static final int IBV_QP_EX_WITH_RDMA_WRITE = 1;
    private static final int IBV_QP_EX_WITH_ATOMIC_WRITE = 1 << 12;

    private final Arena arena = Arena.ofShared();
    private final Ibverbs ibverbs = Ibverbs.open();
    private final SharedLibrary library = SharedLibrary.open(Ibverbs.NAME);
    private final NativeFunction modify = library.function("ibv_modify_qp");
    private final NativeFunction destroy = library.function("ibv_destroy_qp");
    private final long[] queues = new long[2];
    private final long[] completions = new long[2];
    private final Completions sent;
    private final NativeFunction start;
    private final NativeFunction write;
    private final NativeFunction setSge;
    private final NativeFunction writeWord;
    private final NativeFunction complete;
    private long posted;
    private long completed;

    /**
     * Connects two queue pairs, the first of which writes.
     *
     * @param pair connected over RoCE: A's end writes. Its domains and its path are used.
     */
    WordWriter(Lab.Pair pair) {
        ProtectionDomain[] domains = {
            (ProtectionDomain) pair.a().domain(), (ProtectionDomain) pair.b().domain()
        };
        try {
            for (int end = 0; end < 2; end++) {
                create(end, domains[end]);
            }
            String[] addresses = {Lab.addressA(), Lab.addressB()};
            for (int end = 0; end < 2; end++) {
                connect(end, domains[end].device(), addresses, pair.a().path().pathMtu());
            }
        } catch (RuntimeException refused) {
            close();
            throw refused;
        }
        MemorySegment poll =
                MemorySegment.ofAddress(
                        Memory.getLong(context(domains[0]) + VerbsAbi.Context.POLL_CQ));
        long memory = arena.allocate(Completions.memoryLength(DEPTH), Long.BYTES).address();
        sent = new Completions(poll, completions[0], memory, DEPTH);
        start = function(queues[0] + WR_START);
        write = function(queues[0] + WR_RDMA_WRITE);
        setSge = function(queues[0] + WR_SET_SGE);
        writeWord = function(queues[0] + WR_ATOMIC_WRITE);
        complete = function(queues[0] + WR_COMPLETE);
    }

    /** Whether the writing device, its driver and its library support the Atomic Write. */
    static boolean isSupported(Lab.Pair pair) {
        try (Arena arena = Arena.ofConfined()) {
            long context = context((ProtectionDomain) pair.a().domain());
            long attributes = arena.allocate(DEVICE_ATTR_EX_SIZE, Long.BYTES).address();
            check(
                    "ibv_query_device_ex",
                    (int)
                            function(context + QUERY_DEVICE_EX)
                                    .call(context, 0, attributes, DEVICE_ATTR_EX_SIZE));
            return (Memory.getLong(attributes + DEVICE_CAP_FLAGS_EX)
                            & IB_UVERBS_DEVICE_ATOMIC_WRITE)
                    != 0;
        }
    }

    /** Returns whether two more writes can be posted. */
    boolean hasRoom() {
        int count = sent.poll();
        for (int i = 0; i < count; i++) {
            int status = sent.status(i);
            if (status != VerbsAbi.IBV_WC_SUCCESS) {
                throw new AssertionError("a write failed: " + ibverbs.statusText(status));
            }
            completed = sent.workRequestId(i);
        }
        return posted - completed <= DEPTH - 2;
    }

    /**
     * Posts a batch of two writes: all but the first word, then that word, of 8 bytes.
     *
     * @param isAtomic whether the word is written by an Atomic Write.
     */
    void post(long source, int length, int localKey, long target, int remoteKey, boolean isAtomic) {
        start.call(queues[0]);
        write(source + 8, length - 8, localKey, target + 8, remoteKey);
        if (isAtomic) {
            next();
            writeWord.call(queues[0], remoteKey, target, source);
        } else {
            write(source, 8, localKey, target, remoteKey);
        }
        check("ibv_wr_complete", (int) complete.call(queues[0]));
    }

    @Override
    public void close() {
        for (int end = 0; end < 2; end++) {
            if (queues[end] != 0) {
                check("ibv_destroy_qp", (int) destroy.call(queues[end]));
            }
            if (completions[end] != 0) {
                check("ibv_destroy_cq", ibverbs.destroyCq(completions[end]));
            }
        }
        arena.close();
    }

    private void write(long source, int length, int localKey, long target, int remoteKey) {
        next();
        write.call(queues[0], remoteKey, target);
        setSge.call(queues[0], localKey, source, length);
    }

    private void next() {
        posted++;
        Memory.putLong(queues[0] + WR_ID, posted);
        Memory.putInt(
                queues[0] + WR_FLAGS,
                posted % SIGNAL_INTERVAL == 0 ? VerbsAbi.IBV_SEND_SIGNALED : 0);
    }

    private void create(int end, ProtectionDomain domain) {
        long context = context(domain);
        completions[end] = ibverbs.createCq(context, DEPTH);
        if (completions[end] == 0) {
            throw VerbsException.of(
                    "ibv_create_cq", NativeFunction.errno(), domain.device() + " gives none", "");
        }
        long attributes = arena.allocate(INIT_ATTR_EX_SIZE, Long.BYTES).address();
        Memory.putLong(attributes + VerbsAbi.QpInitAttr.SEND_CQ, completions[end]);
        Memory.putLong(attributes + VerbsAbi.QpInitAttr.RECV_CQ, completions[end]);
        Memory.putInt(attributes + VerbsAbi.QpInitAttr.MAX_SEND_WR, DEPTH);
        Memory.putInt(attributes + VerbsAbi.QpInitAttr.MAX_RECV_WR, 1);
        Memory.putInt(attributes + VerbsAbi.QpInitAttr.MAX_SEND_SGE, 1);
        Memory.putInt(attributes + VerbsAbi.QpInitAttr.MAX_RECV_SGE, 1);
        Memory.putInt(attributes + VerbsAbi.QpInitAttr.QP_TYPE, VerbsAbi.IBV_QPT_RC);
        Memory.putInt(
                attributes + COMP_MASK, IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS);
        Memory.putLong(attributes + PD, domain.address());
        Memory.putLong(
                attributes + SEND_OPS, IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_ATOMIC_WRITE);
        queues[end] = function(context + CREATE_QP_EX).call(context, attributes);
        if (queues[end] == 0) {
            throw VerbsException.of(
                    "ibv_create_qp_ex",
                    NativeFunction.errno(),
                    domain.device() + " makes no queue pair that writes words atomically",
                    "");
        }
    }

    /** From INIT to ready to send, as the connection manager does otherwise. */
    private void connect(int end, String device, String[] addresses, int mtu) {
        int other = 1 - end;
        long attributes = arena.allocate(VerbsAbi.QpAttr.SIZE, Long.BYTES).address();
        Memory.putInt(attributes + QP_STATE, INIT);
        Memory.putInt(attributes + QP_ACCESS_FLAGS, VerbsAbi.IBV_ACCESS_REMOTE_WRITE);
        Memory.putByte(attributes + PORT_NUM, (byte) 1);
        modify(end, attributes, INIT_MASK);

        Memory.putInt(attributes + QP_STATE, READY_TO_RECEIVE);
        Memory.putInt(
                attributes + VerbsAbi.QpAttr.PATH_MTU, Integer.numberOfTrailingZeros(mtu) - 7);
        Memory.putInt(attributes + RQ_PSN, PSN);
        Memory.putInt(attributes + DEST_QP_NUM, Memory.getInt(queues[other] + VerbsAbi.Qp.NUMBER));
        Memory.putByte(attributes + MAX_DEST_RD_ATOMIC, (byte) OUTSTANDING);
        Memory.putByte(attributes + MIN_RNR_TIMER, (byte) 12);
        Memory.putBytes(attributes + DGID, mapped(addresses[other]));
        Memory.putByte(attributes + VerbsAbi.QpAttr.SGID_INDEX, index(device, addresses[end]));
        Memory.putByte(attributes + HOP_LIMIT, (byte) 64);
        Memory.putByte(attributes + IS_GLOBAL, (byte) 1);
        Memory.putByte(attributes + AH_PORT_NUM, (byte) 1);
        modify(end, attributes, READY_TO_RECEIVE_MASK);

        Memory.putInt(attributes + QP_STATE, READY_TO_SEND);
        Memory.putByte(attributes + VerbsAbi.QpAttr.TIMEOUT, (byte) 14);
        Memory.putByte(attributes + VerbsAbi.QpAttr.RETRY_CNT, (byte) 6);
        Memory.putByte(attributes + VerbsAbi.QpAttr.RNR_RETRY, (byte) 6);
        Memory.putInt(attributes + SQ_PSN, PSN);
        Memory.putByte(attributes + MAX_RD_ATOMIC, (byte) OUTSTANDING);
        modify(end, attributes, READY_TO_SEND_MASK);
    }

    private void modify(int end, long attributes, int mask) {
        check("ibv_modify_qp", (int) modify.call(queues[end], attributes, mask));
    }

    /** The function that a pointer of C leads to. */
    private static NativeFunction function(long pointer) {
        return new NativeFunction(MemorySegment.ofAddress(Memory.getLong(pointer)));
    }

    private static long context(ProtectionDomain domain) {
        return Memory.getLong(domain.address());
    }

    private static byte index(String device, String address) {
        return (byte)
                IntStream.range(0, 16)
                        .filter(index -> isAt(Devices.gid(device, 1, index), address))
                        .findFirst()
                        .orElseThrow();
    }

    private static boolean isAt(DeviceInfo.Gid gid, String address) {
        InetAddress held = gid.inetAddress();
        return held != null && held.getHostAddress().equals(address) && gid.type().contains("v2");
    }

    /** An IPv4 address as a GID. */
    private static byte[] mapped(String address) {
        byte[] gid = new byte[16];
        gid[10] = -1;
        gid[11] = -1;
        System.arraycopy(Lab.at(address, 0).getAddress().getAddress(), 0, gid, 12, 4);
        return gid;
    }

    private static void check(String function, int errno) {
        if (errno != 0) {
            throw VerbsException.of(function, errno, "a queue pair of the test's own", "");
        }
    }
}
