// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/**
 * Recomputes the layout of the C structures from their declarations, by the rules of an LP64
 * compiler, and compares.
 */
class VerbsAbiTest {
    private static final int PTR = 8;
    private static final int U64 = 8;
    private static final int U32 = 4;
    private static final int U16 = 2;
    private static final int U8 = 1;

    @Test
    void layoutOfScatterGatherElementMatches() {
        new Struct()
                .add("addr", U64, VerbsAbi.Sge.ADDRESS)
                .add("length", U32, VerbsAbi.Sge.LENGTH)
                .add("lkey", U32, VerbsAbi.Sge.LKEY)
                .size(VerbsAbi.Sge.SIZE);
    }

    @Test
    void layoutOfSendWorkRequestMatches() {
        new Struct()
                .add("wr_id", U64, VerbsAbi.SendWr.ID)
                .add("next", PTR, VerbsAbi.SendWr.NEXT)
                .add("sg_list", PTR, VerbsAbi.SendWr.SG_LIST)
                .add("num_sge", U32, VerbsAbi.SendWr.NUM_SGE)
                .add("opcode", U32, VerbsAbi.SendWr.OPCODE)
                .add("send_flags", U32, VerbsAbi.SendWr.FLAGS)
                .add("imm_data", U32)
                .add("remote_addr", U64, VerbsAbi.SendWr.REMOTE_ADDRESS)
                .add("rkey", U32, VerbsAbi.SendWr.RKEY)
                .array("rest of the union of atomic and ud", U64, 2)
                .array("qp_type", U32, 1)
                .array("bind_mw", U64, 6)
                .size(VerbsAbi.SendWr.SIZE);
    }

    @Test
    void layoutOfReceiveWorkRequestMatches() {
        new Struct()
                .add("wr_id", U64, VerbsAbi.RecvWr.ID)
                .add("next", PTR, VerbsAbi.RecvWr.NEXT)
                .add("sg_list", PTR, VerbsAbi.RecvWr.SG_LIST)
                .add("num_sge", U32, VerbsAbi.RecvWr.NUM_SGE)
                .size(VerbsAbi.RecvWr.SIZE);
    }

    @Test
    void layoutOfWorkCompletionMatches() {
        new Struct()
                .add("wr_id", U64, VerbsAbi.Wc.ID)
                .add("status", U32, VerbsAbi.Wc.STATUS)
                .add("opcode", U32)
                .add("vendor_err", U32, VerbsAbi.Wc.VENDOR_ERR)
                .add("byte_len", U32, VerbsAbi.Wc.BYTE_LEN)
                .add("imm_data", U32)
                .add("qp_num", U32)
                .add("src_qp", U32)
                .add("wc_flags", U32)
                .add("pkey_index", U16)
                .add("slid", U16)
                .add("sl", U8)
                .add("dlid_path_bits", U8)
                .size(VerbsAbi.Wc.SIZE);
    }

    @Test
    void layoutOfQueuePairPathMatches() {
        new Struct()
                .add("qp_state", U32, VerbsAbi.QpAttr.STATE)
                .add("cur_qp_state", U32)
                .add("path_mtu", U32, VerbsAbi.QpAttr.PATH_MTU)
                .array("path_mig_state to qp_access_flags", U32, 6)
                .array("cap", U32, 5)
                .array("grh.dgid", U64, 2)
                .add("grh.flow_label", U32)
                .add("grh.sgid_index", U8, VerbsAbi.QpAttr.SGID_INDEX)
                .add("grh.hop_limit", U8)
                .add("grh.traffic_class", U8, VerbsAbi.QpAttr.TRAFFIC_CLASS)
                .add("end of grh", U8)
                .add("dlid", U16)
                .array("sl to port_num, and what aligns the next", U8, 6)
                .array("alt_ah_attr", U64, 4)
                .array("pkey_index, alt_pkey_index", U16, 2)
                .array("en_sqd_async_notify to max_dest_rd_atomic", U8, 4)
                .add("min_rnr_timer", U8, VerbsAbi.QpAttr.MIN_RNR_TIMER)
                .add("port_num", U8)
                .add("timeout", U8, VerbsAbi.QpAttr.TIMEOUT)
                .add("retry_cnt", U8, VerbsAbi.QpAttr.RETRY_CNT)
                .add("rnr_retry", U8, VerbsAbi.QpAttr.RNR_RETRY)
                .array("alt_port_num, alt_timeout", U8, 2)
                .add("rate_limit", U32)
                .size(VerbsAbi.QpAttr.SIZE);
    }

    @Test
    void layoutOfQueuePairAttributesMatches() {
        new Struct()
                .add("qp_context", PTR)
                .add("send_cq", PTR, VerbsAbi.QpInitAttr.SEND_CQ)
                .add("recv_cq", PTR, VerbsAbi.QpInitAttr.RECV_CQ)
                .add("srq", PTR)
                .add("max_send_wr", U32, VerbsAbi.QpInitAttr.MAX_SEND_WR)
                .add("max_recv_wr", U32, VerbsAbi.QpInitAttr.MAX_RECV_WR)
                .add("max_send_sge", U32, VerbsAbi.QpInitAttr.MAX_SEND_SGE)
                .add("max_recv_sge", U32, VerbsAbi.QpInitAttr.MAX_RECV_SGE)
                .add("max_inline_data", U32, VerbsAbi.QpInitAttr.MAX_INLINE_DATA)
                .add("qp_type", U32, VerbsAbi.QpInitAttr.QP_TYPE)
                .add("sq_sig_all", U32, VerbsAbi.QpInitAttr.SQ_SIG_ALL)
                .size(VerbsAbi.QpInitAttr.SIZE);
    }

    @Test
    void layoutOfQueuePairAndRegionMatches() {
        new Struct()
                .array("context, qp_context, pd, send_cq, recv_cq, srq", PTR, 6)
                .add("handle", U32)
                .add("qp_num", U32, VerbsAbi.Qp.NUMBER);
        new Struct()
                .array("context, pd, addr, length", PTR, 4)
                .add("handle", U32)
                .add("lkey", U32, VerbsAbi.Mr.LKEY)
                .add("rkey", U32, VerbsAbi.Mr.RKEY);
    }

    @Test
    void layoutOfContextMatches() {
        new Struct()
                .add("device", PTR)
                .array("operations before poll_cq", PTR, 11)
                .add("poll_cq", PTR, VerbsAbi.Context.POLL_CQ)
                .array("operations before post_send", PTR, 13)
                .add("post_send", PTR, VerbsAbi.Context.POST_SEND)
                .add("post_recv", PTR, VerbsAbi.Context.POST_RECV)
                .array("operations after post_recv", PTR, 5)
                .add("cmd_fd", U32)
                .add("async_fd", U32, VerbsAbi.Context.ASYNC_FD);
    }

    @Test
    void layoutOfConnectionIdMatches() {
        new Struct()
                .add("verbs", PTR, VerbsAbi.CmId.VERBS)
                .add("channel", PTR)
                .add("context", PTR)
                .add("qp", PTR, VerbsAbi.CmId.QP)
                .array("src_addr, a sockaddr_storage", U64, 16, VerbsAbi.CmId.SRC_ADDR)
                .array("dst_addr, a sockaddr_storage", U64, 16, VerbsAbi.CmId.DST_ADDR)
                .array("ibaddr", U64, 5)
                .add("path_rec", PTR)
                .add("num_paths", U64)
                .add("ps", U32)
                .add("port_num", U8, VerbsAbi.CmId.PORT_NUM);
    }

    @Test
    void layoutOfConnectionEventAndParametersMatches() {
        new Struct()
                .add("id", PTR, VerbsAbi.CmEvent.ID)
                .add("listen_id", PTR, VerbsAbi.CmEvent.LISTEN_ID)
                .add("event", U32, VerbsAbi.CmEvent.TYPE)
                .add("status", U32, VerbsAbi.CmEvent.STATUS)
                .add("private_data", PTR, VerbsAbi.CmEvent.PRIVATE_DATA)
                .add("private_data_len", U8, VerbsAbi.CmEvent.PRIVATE_DATA_LEN);
        new Struct()
                .add("private_data", PTR, VerbsAbi.ConnParam.PRIVATE_DATA)
                .add("private_data_len", U8, VerbsAbi.ConnParam.PRIVATE_DATA_LEN)
                .add("responder_resources", U8, VerbsAbi.ConnParam.RESPONDER_RESOURCES)
                .add("initiator_depth", U8, VerbsAbi.ConnParam.INITIATOR_DEPTH)
                .add("flow_control", U8)
                .add("retry_count", U8, VerbsAbi.ConnParam.RETRY_COUNT)
                .add("rnr_retry_count", U8, VerbsAbi.ConnParam.RNR_RETRY_COUNT)
                .add("srq", U8)
                .add("qp_num", U32)
                .size(VerbsAbi.ConnParam.SIZE);
    }

    /** Natural alignment of each member; the whole is a multiple of the largest. */
    private static final class Struct {
        private int end;
        private int alignment = 1;

        Struct add(String member, int size) {
            return array(member, size, 1);
        }

        /** A member with an expected offset. */
        Struct add(String member, int size, int offset) {
            return array(member, size, 1, offset);
        }

        Struct array(String member, int size, int count, int offset) {
            assertEquals(align(end, size), offset, member);
            return array(member, size, count);
        }

        /** The name is only for the reader. */
        Struct array(String member, int size, int count) {
            end = align(end, size) + size * count;
            alignment = Math.max(alignment, size);
            return this;
        }

        /** Checks the total length. */
        void size(int length) {
            assertEquals(align(end, alignment), length, "length");
        }

        private static int align(int value, int alignment) {
            return (value + alignment - 1) / alignment * alignment;
        }
    }
}
