// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.PathAdvice;
import io.verbus.rdma.fabric.PathInfo;
import io.verbus.rdma.fabric.TransportType;

import java.lang.foreign.Arena;

/**
 * Queries the path of a connected queue pair, and checks that the path is as requested. Used on a
 * thread that may block.
 *
 * <p>The path MTU is checked but never set. rdma_cm takes it from the interface or the subnet
 * manager, sends it to the peer, and has no option to change it. Both ends must have the same MTU.
 */
final class PathQuery {
    private static final int ATTRIBUTES =
            VerbsAbi.IBV_QP_AV
                    | VerbsAbi.IBV_QP_PATH_MTU
                    | VerbsAbi.IBV_QP_TIMEOUT
                    | VerbsAbi.IBV_QP_RETRY_CNT
                    | VerbsAbi.IBV_QP_RNR_RETRY;

    private PathQuery() {}

    /**
     * Queries the device for the path of a queue pair.
     *
     * @param qp address of a queue pair that is ready to receive.
     * @param port port of the device.
     */
    static PathInfo query(Ibverbs ibverbs, Device device, int port, long qp) {
        try (Arena arena = Arena.ofConfined()) {
            long attr = arena.allocate(VerbsAbi.QpAttr.SIZE, Long.BYTES).address();
            long init = arena.allocate(VerbsAbi.QpInitAttr.SIZE, Long.BYTES).address();
            int error = ibverbs.queryQp(qp, attr, ATTRIBUTES, init);
            // Providers that do not implement the operation, such as MANA's, leave all values 0.
            if (error != 0 && error != Errno.EOPNOTSUPP && error != Errno.ENOSYS) {
                throw VerbsException.of(
                        "ibv_query_qp",
                        error,
                        "the device "
                                + device.name()
                                + " does not report the path of a queue "
                                + "pair",
                        "");
            }
            long portAttr = arena.allocate(VerbsAbi.PortAttr.SIZE, Long.BYTES).address();
            device.queryPort(port, portAttr);
            boolean isIwarp = device.transport() == TransportType.IWARP;
            int index = unsigned(attr + VerbsAbi.QpAttr.SGID_INDEX);
            DeviceInfo.Gid gid =
                    isIwarp || error != 0
                            ? new DeviceInfo.Gid(0, "", "", "")
                            : Devices.gid(device.name(), port, index);
            return new PathInfo(
                    device.name(),
                    port,
                    isIwarp,
                    Devices.linkLayer(Memory.getByte(portAttr + VerbsAbi.PortAttr.LINK_LAYER)),
                    gid.netdev(),
                    gid.type(),
                    gid.inetAddress(),
                    isIwarp ? 0 : Devices.mtu(Memory.getInt(attr + VerbsAbi.QpAttr.PATH_MTU)),
                    Devices.mtu(Memory.getInt(portAttr + VerbsAbi.PortAttr.MAX_MTU)),
                    unsigned(attr + VerbsAbi.QpAttr.TRAFFIC_CLASS),
                    unsigned(attr + VerbsAbi.QpAttr.TIMEOUT),
                    unsigned(attr + VerbsAbi.QpAttr.RETRY_CNT),
                    unsigned(attr + VerbsAbi.QpAttr.RNR_RETRY),
                    order(ibverbs, device, qp));
        }
    }

    private static PathInfo.Order order(Ibverbs ibverbs, Device device, long qp) {
        if (device.software()) {
            return PathInfo.Order.KEPT; // software devices process packets in order
        }
        boolean isRelaxed =
                device.isMellanox() && System.getenv(PathAdvice.RELAXED_VARIABLE) != null;
        if (!isRelaxed && ibverbs.isDataInOrder(qp, VerbsAbi.IBV_WR_RDMA_WRITE)) {
            return PathInfo.Order.KEPT;
        }
        return device.isMellanox() || device.transport() == TransportType.IWARP
                ? PathInfo.Order.DOUBTFUL
                : PathInfo.Order.UNKNOWN;
    }

    /**
     * @throws VerbsException if the adapter may place a later write before an earlier one.
     */
    static void requireOrder(PathInfo path) {
        if (path.order() == PathInfo.Order.DOUBTFUL) {
            throw new VerbsException(
                    path.device()
                            + " may place writes out of order, which rdma.order=check rejects: "
                            + PathAdvice.keepOrder(path.isIwarp())
                            + ", or set rdma.order=safe");
        }
    }

    /**
     * @throws VerbsException if packets do not carry the requested number of bytes.
     */
    static void requireMtu(PathInfo path, ConnectionOptions options) {
        if (options.pathMtu() == ConnectionOptions.ANY) {
            return;
        }
        if (path.isIwarp()) {
            throw new VerbsException(
                    "path-mtu %d is not supported on %s, which runs over TCP: remove path-mtu"
                            .formatted(options.pathMtu(), path.device()));
        }
        if (!path.isKnown()) {
            throw new VerbsException(
                    ("path-mtu %d cannot be checked on %s, which does not report the path of a"
                                    + " connection: remove path-mtu")
                            .formatted(options.pathMtu(), path.device()));
        }
        if (path.pathMtu() != options.pathMtu()) {
            throw new VerbsException(
                    ("the path over %s port %d has MTU %d, not the required path-mtu %d: set the"
                         + " MTU of the interfaces at both ends (RoCE) or of the subnet manager's"
                         + " partition (InfiniBand), or correct path-mtu")
                            .formatted(
                                    path.device(), path.port(), path.pathMtu(), options.pathMtu()));
        }
    }

    /**
     * @throws VerbsException if the device is not the requested one.
     */
    static void requireDevice(String name, ConnectionOptions options, String where) {
        if (options.device() != null && !options.device().equals(name)) {
            throw new VerbsException(
                    "%s is on the device %s, not on %s: correct the address or the device"
                            .formatted(where, name, options.device()));
        }
    }

    private static int unsigned(long address) {
        return Byte.toUnsignedInt(Memory.getByte(address));
    }
}
