// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/** What can be done about a path that is not as it should be, in words. */
public final class PathAdvice {
    /** Type of a GID of RoCE v1 or InfiniBand, as sysfs names it. */
    public static final String ROCE_V1 = "IB/RoCE v1";

    /** Type of a GID of RoCE v2, as sysfs names it. */
    public static final String ROCE_V2 = "RoCE v2";

    /** Environment variable that has MLNX_OFED 4 place what a process receives as it comes. */
    public static final String RELAXED_VARIABLE = "MLX5_RELAXED_PACKET_ORDERING_ON";

    /** Link layer of RoCE and iWARP. */
    public static final String ETHERNET = "Ethernet";

    /** Link layer of InfiniBand itself. */
    public static final String INFINIBAND = "InfiniBand";

    /**
     * What the kernel takes off an Ethernet interface's MTU for RoCE (iboe_get_mtu: GRH, UDP, BTH,
     * XRC, ETH and ICRC), rounded up.
     */
    private static final int ROCE_OVERHEAD = 104;

    private PathAdvice() {}

    /** Least MTU of an Ethernet interface whose RoCE packets are to carry so many bytes. */
    public static int interfaceMtu(int roceMtu) {
        return roceMtu + ROCE_OVERHEAD;
    }

    /** How to have writes placed in the order in which they were posted. */
    public static String keepOrder(boolean isIwarp) {
        return isIwarp
                ? "use the adapter's RoCE v2 mode if it has one, or try it with lost packets first"
                : "turn adaptive routing off for this traffic (mlxreg, ROCE_ACCL"
                        + " adaptive_routing_forced_en=0), unset "
                        + RELAXED_VARIABLE
                        + ", and use rdma-core 36 or later, which tells";
    }

    /** How to make a port's connections use RoCE v2. */
    public static String useRoceV2(String device, int port) {
        return "`mkdir -p %s; echo 'RoCE v2' > %s/%s`, on a device that can RoCE v2"
                .formatted(configuration(device), configuration(device), roceMode(port));
    }

    /** Folder in configfs that an administrator makes to configure a device. */
    public static String configuration(String device) {
        return "/sys/kernel/config/rdma_cm/" + device;
    }

    /** File in the folder that holds the RoCE mode of a port. */
    public static String roceMode(int port) {
        return "ports/" + port + "/default_roce_mode";
    }

    /** How to raise the MTU of an Ethernet interface, where there is one to name. */
    public static String raiseRoceMtu(String netdev, int roceMtu) {
        int least = interfaceMtu(roceMtu);
        return netdev.isEmpty()
                ? "set the MTU of its network interface to "
                        + least
                        + " or more at both ends and on the switches, and the link down and up"
                : "`ip link set dev %s mtu %d` or more, at both ends and on the switches"
                        .formatted(netdev, least);
    }

    /** How to raise the MTU of an InfiniBand path. */
    public static String raiseInfiniBandMtu() {
        return "raise it in the subnet manager's partition and on the switches";
    }
}
