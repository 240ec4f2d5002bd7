// SPDX-License-Identifier: Apache-2.0
//
// The parts of rdma-core's binary interface that Verbus uses, laid out as in infiniband/verbs.h and
// rdma/rdma_cma.h, so that the device builds without their headers. Offsets are asserted below; they are
// those of VerbsAbi.java, which VerbsAbiTest compares with the real headers where they are installed.
#ifndef STRICT_ABI_H
#define STRICT_ABI_H

#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct ibv_device {
    void *ops[2];
    int node_type;
    int transport_type;
    char name[64];
    char dev_name[64];
    char dev_path[256];
    char ibdev_path[256];
};

struct ibv_context {
    struct ibv_device *device;
    void *ops[32];
    int cmd_fd;
    int async_fd;
    int num_comp_vectors;
    pthread_mutex_t mutex;
    void *abi_compat;
};

enum { OP_POLL_CQ = 11, OP_POST_SEND = 25, OP_POST_RECV = 26 };

struct ibv_device_attr {
    char fw_ver[64];
    uint64_t node_guid, sys_image_guid, max_mr_size, page_size_cap;
    uint32_t vendor_id, vendor_part_id, hw_ver;
    int max_qp, max_qp_wr;
    unsigned device_cap_flags;
    int max_sge, max_sge_rd, max_cq, max_cqe, max_mr, max_pd;
    int unused1[5];
    int atomic_cap;
    char unused3[59];
    uint8_t phys_port_cnt;
    char unused4[4];
};

struct ibv_port_attr { // as far as the exported function fills it
    int state, max_mtu, active_mtu, gid_tbl_len;
    uint32_t port_cap_flags, max_msg_sz, bad_pkey_cntr, qkey_viol_cntr;
    uint16_t pkey_tbl_len, lid, sm_lid;
    uint8_t lmc, max_vl_num, sm_sl, subnet_timeout, init_type_reply, active_width, active_speed, phys_state;
    uint8_t link_layer, flags;
};

struct ibv_pd {
    struct ibv_context *context;
    uint32_t handle;
};

struct ibv_mr {
    struct ibv_context *context;
    struct ibv_pd *pd;
    void *addr;
    size_t length;
    uint32_t handle, lkey, rkey;
};

struct ibv_cq {
    struct ibv_context *context;
    void *channel, *cq_context;
    uint32_t handle;
    int cqe;
    char unused[96];
};

struct ibv_qp {
    struct ibv_context *context;
    void *qp_context;
    struct ibv_pd *pd;
    struct ibv_cq *send_cq, *recv_cq;
    void *srq;
    uint32_t handle, qp_num;
    int state, qp_type;
    char unused[96];
};

struct ibv_qp_cap {
    uint32_t max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data;
};

struct ibv_qp_init_attr {
    void *qp_context;
    struct ibv_cq *send_cq, *recv_cq;
    void *srq;
    struct ibv_qp_cap cap;
    int qp_type, sq_sig_all;
};

struct ibv_qp_attr {
    int qp_state, cur_qp_state, path_mtu;
    char unused1[64];
    uint8_t sgid_index, hop_limit, traffic_class; // of ah_attr.grh
    char unused2[49];
    uint8_t min_rnr_timer, port_num, timeout, retry_cnt, rnr_retry;
    char unused3[11];
};

struct ibv_sge {
    uint64_t addr;
    uint32_t length, lkey;
};

struct ibv_send_wr {
    uint64_t wr_id;
    struct ibv_send_wr *next;
    struct ibv_sge *sg_list;
    int num_sge, opcode;
    unsigned send_flags;
    uint32_t imm_data;
    uint64_t remote_addr;
    union {
        uint32_t rkey;        // of a write
        uint64_t compare_add; // of an atomic
    };
    uint64_t swap;
    uint32_t atomic_rkey;
    char unused[60];
};

struct ibv_recv_wr {
    uint64_t wr_id;
    struct ibv_recv_wr *next;
    struct ibv_sge *sg_list;
    int num_sge;
};

struct ibv_wc {
    uint64_t wr_id;
    int status, opcode;
    uint32_t vendor_err, byte_len, imm_data, qp_num, src_qp;
    unsigned wc_flags;
    char unused[8];
};

struct ibv_async_event {
    void *element;
    int event_type;
};

struct rdma_event_channel {
    int fd;
};

struct rdma_cm_id {
    struct ibv_context *verbs;
    struct rdma_event_channel *channel;
    void *context;
    struct ibv_qp *qp;
    struct sockaddr_in src;
    char unused1[112];
    struct sockaddr_in dst;
    char unused2[168];
    int ps;
    uint8_t port_num;
    char unused3[67];
};

struct rdma_conn_param {
    const void *private_data;
    uint8_t private_data_len, responder_resources, initiator_depth, flow_control;
    uint8_t retry_count, rnr_retry_count, srq;
    uint32_t qp_num;
};

struct rdma_cm_event {
    struct rdma_cm_id *id, *listen_id;
    int event, status;
    struct rdma_conn_param conn;
    char unused[32];
};

#define AT(type, field, offset) _Static_assert(offsetof(struct type, field) == (offset), #type "." #field)
#define SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type)
AT(ibv_device, transport_type, 20);
AT(ibv_device, name, 24);
SIZE(ibv_device, 664);
AT(ibv_context, ops[OP_POLL_CQ], 96);
AT(ibv_context, ops[OP_POST_SEND], 208);
AT(ibv_context, ops[OP_POST_RECV], 216);
AT(ibv_context, async_fd, 268);
AT(ibv_device_attr, vendor_id, 96);
AT(ibv_device_attr, max_qp_wr, 112);
AT(ibv_device_attr, max_sge, 120);
AT(ibv_device_attr, max_cqe, 132);
AT(ibv_device_attr, atomic_cap, 164);
AT(ibv_device_attr, phys_port_cnt, 227);
SIZE(ibv_device_attr, 232);
AT(ibv_port_attr, max_msg_sz, 20);
AT(ibv_port_attr, link_layer, 46);
AT(ibv_mr, lkey, 36);
AT(ibv_qp, qp_num, 52);
SIZE(ibv_qp, 160);
SIZE(ibv_cq, 128);
AT(ibv_qp_init_attr, cap, 32);
AT(ibv_qp_init_attr, sq_sig_all, 56);
AT(ibv_qp_attr, sgid_index, 76);
AT(ibv_qp_attr, min_rnr_timer, 128);
AT(ibv_qp_attr, timeout, 130);
SIZE(ibv_qp_attr, 144);
AT(ibv_send_wr, remote_addr, 40);
AT(ibv_send_wr, rkey, 48);
AT(ibv_send_wr, atomic_rkey, 64);
SIZE(ibv_send_wr, 128);
SIZE(ibv_recv_wr, 32);
AT(ibv_wc, byte_len, 20);
SIZE(ibv_wc, 48);
AT(rdma_cm_id, src, 32);
AT(rdma_cm_id, dst, 160);
AT(rdma_cm_id, port_num, 348);
SIZE(rdma_cm_id, 416);
AT(rdma_cm_event, conn, 24);
SIZE(rdma_cm_event, 80);

enum {
    IBV_QPS_INIT = 1,
    IBV_QPS_RTS = 3,
    IBV_QPS_ERR = 6,

    IBV_QP_MIN_RNR_TIMER = 1 << 15,

    IBV_WR_RDMA_WRITE = 0,
    IBV_WR_SEND = 2,
    IBV_WR_ATOMIC_FETCH_AND_ADD = 6,

    IBV_SEND_SIGNALED = 1 << 1,
    IBV_SEND_INLINE = 1 << 3,

    IBV_ACCESS_LOCAL_WRITE = 1,
    IBV_ACCESS_REMOTE_WRITE = 2,
    IBV_ACCESS_REMOTE_ATOMIC = 8,

    IBV_WC_SUCCESS = 0,
    IBV_WC_LOC_LEN_ERR = 1,
    IBV_WC_LOC_PROT_ERR = 4,
    IBV_WC_WR_FLUSH_ERR = 5,
    IBV_WC_REM_INV_REQ_ERR = 9,
    IBV_WC_REM_ACCESS_ERR = 10,
    IBV_WC_RETRY_EXC_ERR = 12,
    IBV_WC_RNR_RETRY_EXC_ERR = 13,

    IBV_WC_SEND = 0,
    IBV_WC_RDMA_WRITE = 1,
    IBV_WC_FETCH_ADD = 4,
    IBV_WC_RECV = 128,

    IBV_TRANSPORT_IB = 0,
    IBV_TRANSPORT_IWARP = 1,
    IBV_NODE_CA = 1,
    IBV_NODE_RNIC = 4,
    IBV_PORT_ACTIVE = 4,
    IBV_MTU_4096 = 5,
    IBV_LINK_LAYER_INFINIBAND = 1,
    IBV_LINK_LAYER_ETHERNET = 2,
    IBV_ATOMIC_NONE = 0,
    IBV_ATOMIC_HCA = 1,

    IBV_EVENT_CQ_ERR = 0,
    IBV_EVENT_QP_ACCESS_ERR = 3,
    IBV_EVENT_COMM_EST = 4,
    IBV_EVENT_DEVICE_FATAL = 8,
    IBV_EVENT_PORT_ERR = 10,

    RDMA_PS_TCP = 0x106,
    RDMA_OPTION_ID_TOS = 0,
    RDMA_OPTION_ID_ACK_TIMEOUT = 3,

    RDMA_CM_EVENT_ADDR_RESOLVED = 0,
    RDMA_CM_EVENT_ADDR_ERROR = 1,
    RDMA_CM_EVENT_ROUTE_RESOLVED = 2,
    RDMA_CM_EVENT_CONNECT_REQUEST = 4,
    RDMA_CM_EVENT_REJECTED = 8,
    RDMA_CM_EVENT_ESTABLISHED = 9,
    RDMA_CM_EVENT_DISCONNECTED = 10,
    RDMA_CM_EVENT_DEVICE_REMOVAL = 11,
    RDMA_CM_EVENT_ADDR_CHANGE = 14,
};

#endif
