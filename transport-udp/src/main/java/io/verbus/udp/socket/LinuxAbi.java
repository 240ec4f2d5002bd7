// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.socket;

/**
 * Constants and structures of the socket interface of x86-64 Linux. Sources: the kernel's {@code
 * include/uapi/asm-generic/socket.h} and {@code include/uapi/linux/in.h}, {@code in6.h}, {@code
 * uio.h}; glibc's {@code bits/socket.h}.
 */
final class LinuxAbi {
    /** Number of sendto, from {@code arch/x86/entry/syscalls/syscall_64.tbl}. */
    static final long SYS_SENDTO = 44;

    /** Number of recvfrom. */
    static final long SYS_RECVFROM = 45;

    static final int AF_UNSPEC = 0;
    static final int AF_INET = 2;
    static final int AF_INET6 = 10;
    static final int AF_NETLINK = 16;

    static final int SOCK_DGRAM = 2;
    static final int SOCK_RAW = 3;
    static final int SOCK_NONBLOCK = 0x800;
    static final int SOCK_CLOEXEC = 0x80000;

    static final int SOL_SOCKET = 1;
    static final int SO_REUSEADDR = 2;
    static final int SO_SNDBUF = 7;
    static final int SO_RCVBUF = 8;

    /** Enables kernel timestamps, and is the type of their control message. */
    static final int SO_TIMESTAMPNS = 35;

    /** Enables adapter timestamps, and is the type of their control message. */
    static final int SO_TIMESTAMPING = 37;

    /** {@code SOF_TIMESTAMPING_RX_HARDWARE} and {@code SOF_TIMESTAMPING_RAW_HARDWARE}. */
    static final int TIMESTAMPING_ADAPTER = 1 << 2 | 1 << 6;

    static final int IPPROTO_IP = 0;
    static final int IP_TTL = 2;
    static final int IP_PKTINFO = 8;
    static final int IP_MULTICAST_IF = 32;
    static final int IP_MULTICAST_TTL = 33;
    static final int IP_ADD_MEMBERSHIP = 35;
    static final int IP_MULTICAST_ALL = 49;

    static final int IPPROTO_IPV6 = 41;
    static final int IPV6_UNICAST_HOPS = 16;
    static final int IPV6_RECVPKTINFO = 49;
    static final int IPV6_PKTINFO = 50;

    static final int SOL_UDP = 17;

    /** Segment size for outgoing datagrams; Linux 4.18. */
    static final int UDP_SEGMENT = 103;

    /** Enables receiving joined datagrams; Linux 5.0. */
    static final int UDP_GRO = 104;

    /** {@code RTMGRP_…} of links, addresses and routes, from {@code linux/rtnetlink.h}. */
    static final int NETLINK_GROUPS = 0x1 | 0x10 | 0x40 | 0x100 | 0x400;

    static final int O_CLOEXEC = 0x80000;

    static final int EINTR = 4;
    static final int EIO = 5;
    static final int EAGAIN = 11;
    static final int EINVAL = 22;
    static final int EMSGSIZE = 90;
    static final int ECONNREFUSED = 111;

    private LinuxAbi() {}

    /** {@code struct sockaddr_in}, {@code struct sockaddr_in6}. */
    static final class SockAddr {
        /** int16. */
        static final int FAMILY = 0;

        /** int16, big-endian. */
        static final int PORT = 2;

        static final int IPV4_ADDRESS = 4;
        static final int IPV4_SIZE = 16;
        static final int IPV6_ADDRESS = 8;
        static final int IPV6_SCOPE = 24;
        static final int IPV6_SIZE = 28;

        private SockAddr() {}
    }

    /** {@code struct sockaddr_nl}; its family is at the same offset as in other addresses. */
    static final class NetlinkAddress {
        /** int32, one bit per group. */
        static final int GROUPS = 8;

        static final int SIZE = 12;

        private NetlinkAddress() {}
    }

    /** {@code struct ip_mreqn}. */
    static final class GroupRequest {
        static final int GROUP = 0;
        static final int LOCAL = 4;

        /** int32, interface index; 0 selects the interface with the local address. */
        static final int INTERFACE = 8;

        static final int SIZE = 12;

        private GroupRequest() {}
    }

    /** {@code struct iovec}. */
    static final class IoVec {
        /** Pointer. */
        static final int BASE = 0;

        /** int64. */
        static final int LENGTH = 8;

        static final int SIZE = 16;

        private IoVec() {}
    }

    /** {@code struct mmsghdr}: a {@code struct msghdr}, followed by the transferred length. */
    static final class MultiMessage {
        /** Pointer to the address. */
        static final int NAME = 0;

        /** int32, bytes of the address. */
        static final int NAME_LENGTH = 8;

        /** Pointer to the array of {@link IoVec}. */
        static final int VECTORS = 16;

        /** int64. */
        static final int VECTOR_COUNT = 24;

        /** Pointer to a {@link ControlMessage}. */
        static final int CONTROL = 32;

        /** int64, length of the control message. */
        static final int CONTROL_LENGTH = 40;

        /** int32. */
        static final int FLAGS = 48;

        /** int32, bytes sent or received. */
        static final int LENGTH = 56;

        static final int SIZE = 64;

        private MultiMessage() {}
    }

    /**
     * {@code struct cmsghdr}; the next one follows at the length of the previous one, rounded up to
     * 8.
     */
    static final class ControlMessage {
        /** int64, including header and value but not padding. */
        static final int LENGTH = 0;

        /** int32. */
        static final int LEVEL = 8;

        /** int32. */
        static final int TYPE = 12;

        static final int VALUE = 16;

        /** Length of a message whose value is a uint16. */
        static final int LENGTH_OF_SHORT = 18;

        /** The same length including padding. */
        static final int SIZE_OF_SHORT = 24;

        /** Length of a message whose value is a {@link PacketInfo}. */
        static final int LENGTH_OF_INFO = 28;

        static final int SIZE_OF_INFO = 32;

        /** Length of a message whose value is a {@link PacketInfo6}. */
        static final int LENGTH_OF_INFO6 = 36;

        static final int SIZE_OF_INFO6 = 40;

        /** Length including padding of a message whose value is an int32. */
        static final int SIZE_OF_INT = 24;

        /** Length of a message whose value is a {@link Time}. */
        static final int SIZE_OF_TIME = VALUE + Time.SIZE;

        /** Length of a message whose value is three {@link Time}s, the adapter's last. */
        static final int SIZE_OF_TIMES = VALUE + 3 * Time.SIZE;

        private ControlMessage() {}
    }

    /** {@code struct timespec} of 64-bit systems. */
    static final class Time {
        /** int64, since the epoch. */
        static final int SECONDS = 0;

        /** int64. */
        static final int NANOSECONDS = 8;

        static final int SIZE = 16;

        private Time() {}
    }

    /** {@code struct in_pktinfo}, after the header of a {@link ControlMessage}. */
    static final class PacketInfo {
        /** int32. */
        static final int INTERFACE = ControlMessage.VALUE;

        /** Local address that the datagram was sent to, or is to be sent from. */
        static final int LOCAL = ControlMessage.VALUE + 4;

        private PacketInfo() {}
    }

    /** {@code struct in6_pktinfo}, after the header of a {@link ControlMessage}. */
    static final class PacketInfo6 {
        /** Local address that the datagram was sent to, or is to be sent from. */
        static final int LOCAL = ControlMessage.VALUE;

        /** int32. */
        static final int INTERFACE = ControlMessage.VALUE + 16;

        private PacketInfo6() {}
    }
}
