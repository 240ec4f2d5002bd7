// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/** Describes remedies for paths with unsuitable settings. */
public final class PathAdvice {
    /** GID type of RoCE v1 and InfiniBand in sysfs. */
    public static final String ROCE_V1 = "IB/RoCE v1";

    /** GID type of RoCE v2 in sysfs. */
    public static final String ROCE_V2 = "RoCE v2";

    /**
     * Environment variable that makes MLNX_OFED 4 place packets as they arrive, even out of order.
     */
    public static final String RELAXED_VARIABLE = "MLX5_RELAXED_PACKET_ORDERING_ON";

    /** Link layer of RoCE and iWARP. */
    public static final String ETHERNET = "Ethernet";

    /** Link layer of InfiniBand. */
    public static final String INFINIBAND = "InfiniBand";

    /**
     * Bytes that the kernel subtracts from an Ethernet interface's MTU for RoCE (iboe_get_mtu: GRH,
     * UDP, BTH, XRC, ETH and ICRC), rounded up.
     */
    private static final int ROCE_OVERHEAD = 104;

    private PathAdvice() {}

    /** Returns the minimum interface MTU for RoCE packets with the given payload. */
    public static int interfaceMtu(int roceMtu) {
        return roceMtu + ROCE_OVERHEAD;
    }

    /** Describes how to make the adapter place writes in posting order. */
    public static String keepOrder(boolean isIwarp) {
        return isIwarp
                ? "use the adapter's RoCE v2 mode if it has one; otherwise test the adapter with"
                        + " packet loss first"
                : "turn adaptive routing off for this traffic (mlxreg, ROCE_ACCL"
                        + " adaptive_routing_forced_en=0), unset "
                        + RELAXED_VARIABLE
                        + ", and use rdma-core 36 or later, which reports the order";
    }

    /** Describes how to make a port's connections use RoCE v2. */
    public static String useRoceV2(String device, int port) {
        return "`mkdir -p %s; echo 'RoCE v2' > %s/%s`, on a device that supports RoCE v2"
                .formatted(configuration(device), configuration(device), roceMode(port));
    }

    /** Returns the configfs directory that an administrator creates to configure a device. */
    public static String configuration(String device) {
        return "/sys/kernel/config/rdma_cm/" + device;
    }

    /** Returns the name of the file in that directory that holds a port's RoCE mode. */
    public static String roceMode(int port) {
        return "ports/" + port + "/default_roce_mode";
    }

    /** Describes how to raise the MTU of an Ethernet interface; its name may be empty. */
    public static String raiseRoceMtu(String netdev, int roceMtu) {
        int least = interfaceMtu(roceMtu);
        return netdev.isEmpty()
                ? "set the MTU of its network interface to "
                        + least
                        + " or more at both ends and on the switches, then take the link down and"
                        + " up again"
                : "`ip link set dev %s mtu %d` or more, at both ends and on the switches"
                        .formatted(netdev, least);
    }

    /** Describes how to raise the MTU of an InfiniBand path. */
    public static String raiseInfiniBandMtu() {
        return "raise the MTU in the subnet manager's partition and on the switches";
    }
}
