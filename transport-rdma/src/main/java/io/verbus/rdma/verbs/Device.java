// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.TransportType;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An open device: its name, its limits and the entry points of its provider's data path.
 *
 * <p>The context is owned by librdmacm or {@link Devices}, which opened it.
 */
final class Device {
    /** Vendor id of rdma_rxe. */
    private static final int RXE_VENDOR_ID = 0xffffff;

    /** Vendor id of siw. */
    private static final int SIW_VENDOR_ID = 0x626d74;

    private static final int BROADCOM_VENDOR_ID = 0x14e4;

    /** Organization id and PCI vendor id of NVIDIA. mlx5 reports the organization id. */
    private static final int MELLANOX_VENDOR_ID = 0x02c9;

    private static final int NVIDIA_VENDOR_ID = 0x15b3;

    private final Ibverbs ibverbs;
    private final long context;
    private final String name;
    private final TransportType transport;
    private final String firmware;
    private final int vendorId;
    private final int ports;
    private final int maxWorkRequests;
    private final int maxGather;
    private final int maxCompletions;

    private final AtomicBoolean isTold = new AtomicBoolean();

    /** Set by the conductor, or by a thread whose call failed with EIO. */
    private volatile boolean isGone;

    /**
     * @param context address of a {@code struct ibv_context}.
     * @throws VerbsException if the device's attributes cannot be queried.
     */
    Device(Ibverbs ibverbs, long context) {
        this.ibverbs = ibverbs;
        this.context = context;
        long device = Memory.getLong(context + VerbsAbi.Context.DEVICE);
        name = name(device);
        transport = transport(device);
        try (Arena arena = Arena.ofConfined()) {
            long attr = arena.allocate(VerbsAbi.DeviceAttr.SIZE, Long.BYTES).address();
            int error = ibverbs.queryDevice(context, attr);
            if (error != 0) {
                throw VerbsException.of(
                        "ibv_query_device",
                        error,
                        "the device " + name + " does not report its attributes",
                        "");
            }
            firmware =
                    Memory.getString(
                            attr + VerbsAbi.DeviceAttr.FW_VER, VerbsAbi.DeviceAttr.FW_VER_LENGTH);
            vendorId = Memory.getInt(attr + VerbsAbi.DeviceAttr.VENDOR_ID);
            maxWorkRequests = Memory.getInt(attr + VerbsAbi.DeviceAttr.MAX_QP_WR);
            maxGather = Memory.getInt(attr + VerbsAbi.DeviceAttr.MAX_SGE);
            maxCompletions = Memory.getInt(attr + VerbsAbi.DeviceAttr.MAX_CQE);
            ports = Byte.toUnsignedInt(Memory.getByte(attr + VerbsAbi.DeviceAttr.PHYS_PORT_CNT));
        }
    }

    /** Returns the name of a listed device, from the address of its {@code struct ibv_device}. */
    static String name(long device) {
        return Memory.getString(device + VerbsAbi.Device.NAME, VerbsAbi.Device.NAME_LENGTH);
    }

    /**
     * Returns the transport of a listed device, from the address of its {@code struct ibv_device}.
     */
    static TransportType transport(long device) {
        return transportOf(Memory.getInt(device + VerbsAbi.Device.TRANSPORT_TYPE));
    }

    /** Returns the transport of an {@code enum ibv_transport_type}. */
    static TransportType transportOf(int type) {
        return switch (type) {
            case VerbsAbi.IBV_TRANSPORT_IB -> TransportType.INFINIBAND;
            case VerbsAbi.IBV_TRANSPORT_IWARP -> TransportType.IWARP;
            default -> TransportType.UNORDERED;
        };
    }

    long context() {
        return context;
    }

    String name() {
        return name;
    }

    TransportType transport() {
        return transport;
    }

    /**
     * Returns whether the device was removed or reset. Its objects then no longer exist, and new
     * calls fail.
     */
    boolean isGone() {
        return isGone;
    }

    void lost() {
        isGone = true;
    }

    /**
     * Returns whether an object has been destroyed, given the result of the call that destroys it.
     * When a device is removed, the kernel destroys all its objects, and destroying them again
     * fails with EIO.
     */
    boolean isDestroyed(int error) {
        if (error == Errno.EIO) {
            lost();
        }
        return error == 0 || error == Errno.EIO;
    }

    String firmware() {
        return firmware;
    }

    int ports() {
        return ports;
    }

    /** Returns the maximum number of work requests that a queue pair can hold in each direction. */
    int maxWorkRequests() {
        return maxWorkRequests;
    }

    /** Returns the maximum number of pieces of memory that a work request can gather. */
    int maxGather() {
        return maxGather;
    }

    /** Returns the maximum number of entries of a completion queue. */
    int maxCompletions() {
        return maxCompletions;
    }

    /**
     * Returns whether posting neither enters the kernel nor waits. The bnxt_re library throttles
     * frequent doorbells with waits of up to 128 us and with system calls.
     *
     * @see <a
     *     href="https://github.com/linux-rdma/rdma-core/blob/master/providers/bnxt_re/db.c">db.c</a>
     */
    boolean postsAtOnce() {
        return !software() && vendorId != BROADCOM_VENDOR_ID;
    }

    /**
     * Returns whether the kernel emulates the device. Ringing its doorbell is then a system call,
     * so posting must not be a critical call, which would delay JVM safepoints.
     */
    boolean software() {
        return vendorId == RXE_VENDOR_ID || isSiw() || vendorId == 0;
    }

    boolean isMellanox() {
        return vendorId == MELLANOX_VENDOR_ID || vendorId == NVIDIA_VENDOR_ID;
    }

    boolean isSiw() {
        return vendorId == SIW_VENDOR_ID;
    }

    MemorySegment postSend() {
        return entryPoint(VerbsAbi.Context.POST_SEND);
    }

    MemorySegment postRecv() {
        return entryPoint(VerbsAbi.Context.POST_RECV);
    }

    MemorySegment pollCq() {
        return entryPoint(VerbsAbi.Context.POLL_CQ);
    }

    /**
     * Returns true on the first call only, so that limitations of the device's queue pairs are
     * reported only once.
     */
    boolean isUntold() {
        return isTold.compareAndSet(false, true);
    }

    /** Returns the maximum message size of a port. */
    long maxMessage(int port) {
        try (Arena arena = Arena.ofConfined()) {
            long attributes = arena.allocate(VerbsAbi.PortAttr.SIZE, Long.BYTES).address();
            queryPort(port, attributes);
            return Integer.toUnsignedLong(Memory.getInt(attributes + VerbsAbi.PortAttr.MAX_MSG_SZ));
        }
    }

    /**
     * @param port port number, from 1.
     * @param attributes address of the {@code struct ibv_port_attr} to fill.
     */
    void queryPort(int port, long attributes) {
        int error = ibverbs.queryPort(context, port, attributes);
        if (error != 0) {
            throw VerbsException.of(
                    "ibv_query_port",
                    error,
                    "port " + port + " of the device " + name + " does not report its state",
                    "");
        }
    }

    private MemorySegment entryPoint(int offset) {
        return MemorySegment.ofAddress(Memory.getLong(context + offset));
    }
}
