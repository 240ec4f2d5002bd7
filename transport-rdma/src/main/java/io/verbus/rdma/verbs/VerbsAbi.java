// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/**
 * Offsets and sizes (in bytes) and constants of the C structures in use.
 *
 * <p>Source: {@code infiniband/verbs.h} and {@code rdma/rdma_cma.h} of rdma-core. They are the same
 * in every release since 15, because the libraries promise to keep their SONAME and to extend
 * structures only at the tail. They are valid on every little-endian LP64 Linux: no offset in use
 * depends on the size of a {@code pthread_mutex_t}.
 */
final class VerbsAbi {
    private VerbsAbi() {}

    /** {@code struct ibv_device}. */
    static final class Device {
        static final int TRANSPORT_TYPE = 20;
        static final int NAME = 24;
        static final int NAME_LENGTH = 64;

        private Device() {}
    }

    /** {@code struct ibv_context}; the function pointers are in its {@code ops}. */
    static final class Context {
        static final int DEVICE = 0;
        static final int POLL_CQ = 96;
        static final int POST_SEND = 208;
        static final int POST_RECV = 216;
        static final int ASYNC_FD = 268;

        private Context() {}
    }

    /** {@code struct ibv_device_attr}. */
    static final class DeviceAttr {
        static final int SIZE = 232;
        static final int FW_VER = 0;
        static final int FW_VER_LENGTH = 64;
        static final int VENDOR_ID = 96;
        static final int MAX_QP_WR = 112;
        static final int MAX_SGE = 120;
        static final int MAX_CQE = 132;
        static final int PHYS_PORT_CNT = 227;

        private DeviceAttr() {}
    }

    /** {@code struct ibv_port_attr}; the exported call fills the first 48 bytes. */
    static final class PortAttr {
        static final int SIZE = 64;
        static final int STATE = 0;
        static final int MAX_MTU = 4;
        static final int ACTIVE_MTU = 8;
        static final int MAX_MSG_SZ = 20;
        static final int LINK_LAYER = 46;

        private PortAttr() {}
    }

    /** {@code struct ibv_mr}. */
    static final class Mr {
        static final int LKEY = 36;
        static final int RKEY = 40;

        private Mr() {}
    }

    /** {@code struct ibv_qp}. */
    static final class Qp {
        static final int NUMBER = 52;

        private Qp() {}
    }

    /** {@code struct ibv_qp_init_attr}. */
    static final class QpInitAttr {
        static final int SIZE = 64;
        static final int SEND_CQ = 8;
        static final int RECV_CQ = 16;
        static final int MAX_SEND_WR = 32;
        static final int MAX_RECV_WR = 36;
        static final int MAX_SEND_SGE = 40;
        static final int MAX_RECV_SGE = 44;
        static final int MAX_INLINE_DATA = 48;
        static final int QP_TYPE = 52;
        static final int SQ_SIG_ALL = 56;

        private QpInitAttr() {}
    }

    /** {@code struct ibv_qp_attr}; {@code ah_attr} is the peer's address. */
    static final class QpAttr {
        static final int SIZE = 144;
        static final int STATE = 0;
        static final int PATH_MTU = 8;
        static final int SGID_INDEX = 76;
        static final int TRAFFIC_CLASS = 78;
        static final int MIN_RNR_TIMER = 128;
        static final int TIMEOUT = 130;
        static final int RETRY_CNT = 131;
        static final int RNR_RETRY = 132;

        private QpAttr() {}
    }

    /** {@code struct ibv_sge}. */
    static final class Sge {
        static final int SIZE = 16;
        static final int ADDRESS = 0;
        static final int LENGTH = 8;
        static final int LKEY = 12;

        private Sge() {}
    }

    /** {@code struct ibv_send_wr}. */
    static final class SendWr {
        static final int SIZE = 128;
        static final int ID = 0;
        static final int NEXT = 8;
        static final int SG_LIST = 16;
        static final int NUM_SGE = 24;
        static final int OPCODE = 28;
        static final int FLAGS = 32;
        static final int REMOTE_ADDRESS = 40;
        static final int RKEY = 48;

        private SendWr() {}
    }

    /** {@code struct ibv_recv_wr}. */
    static final class RecvWr {
        static final int SIZE = 32;
        static final int ID = 0;
        static final int NEXT = 8;
        static final int SG_LIST = 16;
        static final int NUM_SGE = 24;

        private RecvWr() {}
    }

    /** {@code struct ibv_wc}. */
    static final class Wc {
        static final int SIZE = 48;
        static final int ID = 0;
        static final int STATUS = 8;
        static final int VENDOR_ERR = 16;
        static final int BYTE_LEN = 20;

        private Wc() {}
    }

    /** {@code struct ibv_async_event}. */
    static final class AsyncEvent {
        static final int SIZE = 16;
        static final int ELEMENT = 0;
        static final int TYPE = 8;

        private AsyncEvent() {}
    }

    /** {@code struct rdma_event_channel}. */
    static final class EventChannel {
        static final int FD = 0;

        private EventChannel() {}
    }

    /** {@code struct rdma_cm_id}. */
    static final class CmId {
        static final int VERBS = 0;
        static final int QP = 24;
        static final int SRC_ADDR = 32;
        static final int DST_ADDR = 160;
        static final int PORT_NUM = 348;

        private CmId() {}
    }

    /** {@code struct rdma_cm_event}. */
    static final class CmEvent {
        static final int ID = 0;
        static final int LISTEN_ID = 8;
        static final int TYPE = 16;
        static final int STATUS = 20;
        static final int PRIVATE_DATA = 24;
        static final int PRIVATE_DATA_LEN = 32;

        private CmEvent() {}
    }

    /** {@code struct rdma_conn_param}. */
    static final class ConnParam {
        static final int SIZE = 24;
        static final int PRIVATE_DATA = 0;
        static final int PRIVATE_DATA_LEN = 8;
        static final int RESPONDER_RESOURCES = 9;
        static final int INITIATOR_DEPTH = 10;
        static final int RETRY_COUNT = 12;
        static final int RNR_RETRY_COUNT = 13;

        private ConnParam() {}
    }

    /** {@code struct sockaddr_in} and {@code struct sockaddr_in6}. */
    static final class SockAddr {
        static final int SIZE = 28;
        static final int FAMILY = 0;
        static final int PORT = 2;
        static final int IPV4_ADDRESS = 4;
        static final int IPV6_ADDRESS = 8;
        static final int IPV6_SCOPE = 24;
        static final short AF_INET = 2;
        static final short AF_INET6 = 10;

        private SockAddr() {}
    }

    static final int IBV_QPT_RC = 2;

    static final int IBV_QPS_RTS = 3;
    static final int IBV_QP_STATE = 1;
    static final int IBV_QP_MIN_RNR_TIMER = 1 << 15;
    static final int IBV_QP_AV = 1 << 7;
    static final int IBV_QP_PATH_MTU = 1 << 8;
    static final int IBV_QP_TIMEOUT = 1 << 9;
    static final int IBV_QP_RETRY_CNT = 1 << 10;
    static final int IBV_QP_RNR_RETRY = 1 << 11;

    static final int IBV_WR_RDMA_WRITE = 0;
    static final int IBV_WR_SEND = 2;

    static final int IBV_SEND_SIGNALED = 1 << 1;
    static final int IBV_SEND_INLINE = 1 << 3;

    static final int IBV_ACCESS_LOCAL_WRITE = 1;
    static final int IBV_ACCESS_REMOTE_WRITE = 1 << 1;

    static final int IBV_WC_SUCCESS = 0;
    static final int IBV_WC_LOC_LEN_ERR = 1;
    static final int IBV_WC_LOC_QP_OP_ERR = 2;
    static final int IBV_WC_LOC_PROT_ERR = 4;
    static final int IBV_WC_WR_FLUSH_ERR = 5;
    static final int IBV_WC_REM_INV_REQ_ERR = 9;
    static final int IBV_WC_REM_ACCESS_ERR = 10;
    static final int IBV_WC_REM_OP_ERR = 11;
    static final int IBV_WC_RETRY_EXC_ERR = 12;
    static final int IBV_WC_RNR_RETRY_EXC_ERR = 13;

    static final int IBV_TRANSPORT_IB = 0;
    static final int IBV_TRANSPORT_IWARP = 1;

    static final int IBV_EVENT_CQ_ERR = 0;
    static final int IBV_EVENT_QP_FATAL = 1;
    static final int IBV_EVENT_QP_REQ_ERR = 2;
    static final int IBV_EVENT_QP_ACCESS_ERR = 3;
    static final int IBV_EVENT_COMM_EST = 4;
    static final int IBV_EVENT_DEVICE_FATAL = 8;
    static final int IBV_EVENT_PORT_ERR = 10;
    static final int IBV_EVENT_LID_CHANGE = 11;
    static final int IBV_EVENT_PKEY_CHANGE = 12;
    static final int IBV_EVENT_SM_CHANGE = 13;
    static final int IBV_EVENT_CLIENT_REREGISTER = 17;
    static final int IBV_EVENT_GID_CHANGE = 18;

    static final int RDMA_PS_TCP = 0x0106;

    static final int RDMA_OPTION_ID = 0;
    static final int RDMA_OPTION_ID_TOS = 0;
    static final int RDMA_OPTION_ID_ACK_TIMEOUT = 3;

    static final int RDMA_CM_EVENT_ADDR_RESOLVED = 0;
    static final int RDMA_CM_EVENT_ADDR_ERROR = 1;
    static final int RDMA_CM_EVENT_ROUTE_RESOLVED = 2;
    static final int RDMA_CM_EVENT_ROUTE_ERROR = 3;
    static final int RDMA_CM_EVENT_CONNECT_REQUEST = 4;
    static final int RDMA_CM_EVENT_CONNECT_ERROR = 6;
    static final int RDMA_CM_EVENT_UNREACHABLE = 7;
    static final int RDMA_CM_EVENT_REJECTED = 8;
    static final int RDMA_CM_EVENT_ESTABLISHED = 9;
    static final int RDMA_CM_EVENT_DISCONNECTED = 10;
    static final int RDMA_CM_EVENT_DEVICE_REMOVAL = 11;
    static final int RDMA_CM_EVENT_ADDR_CHANGE = 14;

    /** Reject reasons of the InfiniBand connection manager, in the status of events. */
    static final int IB_CM_REJ_INVALID_SERVICE_ID = 8;

    static final int IB_CM_REJ_CONSUMER_DEFINED = 28;
}
