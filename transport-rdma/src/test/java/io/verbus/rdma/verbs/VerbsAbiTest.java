// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lays the C structures out again from their declarations, member by member with the rules of an
 * LP64 compiler, and compares.
 */
class VerbsAbiTest {
    private static final int PTR = 8;
    private static final int U64 = 8;
    private static final int U32 = 4;
    private static final int U16 = 2;
    private static final int U8 = 1;

    @Test
    void scatterGatherElement() {
        Struct s = new Struct().add("addr", U64).add("length", U32).add("lkey", U32);
        assertEquals(VerbsAbi.Sge.ADDRESS, s.offset("addr"));
        assertEquals(VerbsAbi.Sge.LENGTH, s.offset("length"));
        assertEquals(VerbsAbi.Sge.LKEY, s.offset("lkey"));
        assertEquals(VerbsAbi.Sge.SIZE, s.size());
    }

    @Test
    void sendWorkRequest() {
        Struct s =
                new Struct()
                        .add("wr_id", U64)
                        .add("next", PTR)
                        .add("sg_list", PTR)
                        .add("num_sge", U32)
                        .add("opcode", U32)
                        .add("send_flags", U32)
                        .add("imm_data", U32)
                        .add("remote_addr", U64)
                        .add("rkey", U32)
                        .array("rest of the union of atomic and ud", U64, 2)
                        .array("qp_type", U32, 1)
                        .array("bind_mw", U64, 6);
        assertEquals(VerbsAbi.SendWr.ID, s.offset("wr_id"));
        assertEquals(VerbsAbi.SendWr.NEXT, s.offset("next"));
        assertEquals(VerbsAbi.SendWr.SG_LIST, s.offset("sg_list"));
        assertEquals(VerbsAbi.SendWr.NUM_SGE, s.offset("num_sge"));
        assertEquals(VerbsAbi.SendWr.OPCODE, s.offset("opcode"));
        assertEquals(VerbsAbi.SendWr.FLAGS, s.offset("send_flags"));
        assertEquals(VerbsAbi.SendWr.REMOTE_ADDRESS, s.offset("remote_addr"));
        assertEquals(VerbsAbi.SendWr.RKEY, s.offset("rkey"));
        assertEquals(VerbsAbi.SendWr.SIZE, s.size());
    }

    @Test
    void receiveWorkRequest() {
        Struct s =
                new Struct()
                        .add("wr_id", U64)
                        .add("next", PTR)
                        .add("sg_list", PTR)
                        .add("num_sge", U32);
        assertEquals(VerbsAbi.RecvWr.ID, s.offset("wr_id"));
        assertEquals(VerbsAbi.RecvWr.NEXT, s.offset("next"));
        assertEquals(VerbsAbi.RecvWr.SG_LIST, s.offset("sg_list"));
        assertEquals(VerbsAbi.RecvWr.NUM_SGE, s.offset("num_sge"));
        assertEquals(VerbsAbi.RecvWr.SIZE, s.size());
    }

    @Test
    void workCompletion() {
        Struct s =
                new Struct()
                        .add("wr_id", U64)
                        .add("status", U32)
                        .add("opcode", U32)
                        .add("vendor_err", U32)
                        .add("byte_len", U32)
                        .add("imm_data", U32)
                        .add("qp_num", U32)
                        .add("src_qp", U32)
                        .add("wc_flags", U32)
                        .add("pkey_index", U16)
                        .add("slid", U16)
                        .add("sl", U8)
                        .add("dlid_path_bits", U8);
        assertEquals(VerbsAbi.Wc.ID, s.offset("wr_id"));
        assertEquals(VerbsAbi.Wc.STATUS, s.offset("status"));
        assertEquals(VerbsAbi.Wc.VENDOR_ERR, s.offset("vendor_err"));
        assertEquals(VerbsAbi.Wc.BYTE_LEN, s.offset("byte_len"));
        assertEquals(VerbsAbi.Wc.SIZE, s.size());
    }

    @Test
    void pathOfAQueuePair() {
        Struct s =
                new Struct()
                        .array("qp_state, cur_qp_state", U32, 2)
                        .add("path_mtu", U32)
                        .array("path_mig_state to qp_access_flags", U32, 6)
                        .array("cap", U32, 5)
                        .array("grh.dgid", U64, 2)
                        .add("grh.flow_label", U32)
                        .add("grh.sgid_index", U8)
                        .add("grh.hop_limit", U8)
                        .add("grh.traffic_class", U8)
                        .add("end of grh", U8)
                        .add("dlid", U16)
                        .array("sl to port_num, and what aligns the next", U8, 6)
                        .array("alt_ah_attr", U64, 4)
                        .array("pkey_index, alt_pkey_index", U16, 2)
                        .array("en_sqd_async_notify to max_dest_rd_atomic", U8, 4)
                        .array("min_rnr_timer, port_num", U8, 2)
                        .add("timeout", U8)
                        .add("retry_cnt", U8)
                        .add("rnr_retry", U8)
                        .array("alt_port_num, alt_timeout", U8, 2)
                        .add("rate_limit", U32);
        assertEquals(VerbsAbi.QpAttr.PATH_MTU, s.offset("path_mtu"));
        assertEquals(VerbsAbi.QpAttr.SGID_INDEX, s.offset("grh.sgid_index"));
        assertEquals(VerbsAbi.QpAttr.TRAFFIC_CLASS, s.offset("grh.traffic_class"));
        assertEquals(VerbsAbi.QpAttr.TIMEOUT, s.offset("timeout"));
        assertEquals(VerbsAbi.QpAttr.RETRY_CNT, s.offset("retry_cnt"));
        assertEquals(VerbsAbi.QpAttr.RNR_RETRY, s.offset("rnr_retry"));
        assertEquals(VerbsAbi.QpAttr.SIZE, s.size());
    }

    @Test
    void queuePairAttributes() {
        Struct s =
                new Struct()
                        .add("qp_context", PTR)
                        .add("send_cq", PTR)
                        .add("recv_cq", PTR)
                        .add("srq", PTR)
                        .add("max_send_wr", U32)
                        .add("max_recv_wr", U32)
                        .add("max_send_sge", U32)
                        .add("max_recv_sge", U32)
                        .add("max_inline_data", U32)
                        .add("qp_type", U32)
                        .add("sq_sig_all", U32);
        assertEquals(VerbsAbi.QpInitAttr.SEND_CQ, s.offset("send_cq"));
        assertEquals(VerbsAbi.QpInitAttr.RECV_CQ, s.offset("recv_cq"));
        assertEquals(VerbsAbi.QpInitAttr.MAX_SEND_WR, s.offset("max_send_wr"));
        assertEquals(VerbsAbi.QpInitAttr.MAX_RECV_WR, s.offset("max_recv_wr"));
        assertEquals(VerbsAbi.QpInitAttr.MAX_SEND_SGE, s.offset("max_send_sge"));
        assertEquals(VerbsAbi.QpInitAttr.MAX_RECV_SGE, s.offset("max_recv_sge"));
        assertEquals(VerbsAbi.QpInitAttr.MAX_INLINE_DATA, s.offset("max_inline_data"));
        assertEquals(VerbsAbi.QpInitAttr.QP_TYPE, s.offset("qp_type"));
        assertEquals(VerbsAbi.QpInitAttr.SQ_SIG_ALL, s.offset("sq_sig_all"));
        assertEquals(VerbsAbi.QpInitAttr.SIZE, s.size());
    }

    @Test
    void queuePairAndRegion() {
        Struct qp =
                new Struct()
                        .array("context, qp_context, pd, send_cq, recv_cq, srq", PTR, 6)
                        .add("handle", U32)
                        .add("qp_num", U32);
        assertEquals(VerbsAbi.Qp.NUMBER, qp.offset("qp_num"));
        Struct mr =
                new Struct()
                        .array("context, pd, addr, length", PTR, 4)
                        .add("handle", U32)
                        .add("lkey", U32)
                        .add("rkey", U32);
        assertEquals(VerbsAbi.Mr.LKEY, mr.offset("lkey"));
        assertEquals(VerbsAbi.Mr.RKEY, mr.offset("rkey"));
    }

    @Test
    void contextWithItsThirtyTwoOperations() {
        Struct s =
                new Struct()
                        .add("device", PTR)
                        .array("operations before poll_cq", PTR, 11)
                        .add("poll_cq", PTR)
                        .array("operations before post_send", PTR, 13)
                        .add("post_send", PTR)
                        .add("post_recv", PTR)
                        .array("operations after post_recv", PTR, 5)
                        .add("cmd_fd", U32)
                        .add("async_fd", U32);
        assertEquals(VerbsAbi.Context.POLL_CQ, s.offset("poll_cq"));
        assertEquals(VerbsAbi.Context.POST_SEND, s.offset("post_send"));
        assertEquals(VerbsAbi.Context.POST_RECV, s.offset("post_recv"));
        assertEquals(VerbsAbi.Context.ASYNC_FD, s.offset("async_fd"));
    }

    @Test
    void connectionManagerIdentifier() {
        Struct s =
                new Struct()
                        .add("verbs", PTR)
                        .add("channel", PTR)
                        .add("context", PTR)
                        .add("qp", PTR)
                        .array("src_addr, a sockaddr_storage", U64, 16)
                        .array("dst_addr, a sockaddr_storage", U64, 16)
                        .array("ibaddr", U64, 5)
                        .add("path_rec", PTR)
                        .add("num_paths", U64)
                        .add("ps", U32)
                        .add("port_num", U8);
        assertEquals(VerbsAbi.CmId.VERBS, s.offset("verbs"));
        assertEquals(VerbsAbi.CmId.QP, s.offset("qp"));
        assertEquals(VerbsAbi.CmId.SRC_ADDR, s.offset("src_addr, a sockaddr_storage"));
        assertEquals(VerbsAbi.CmId.DST_ADDR, s.offset("dst_addr, a sockaddr_storage"));
        assertEquals(VerbsAbi.CmId.PORT_NUM, s.offset("port_num"));
    }

    @Test
    void connectionManagerEventAndParameters() {
        Struct event =
                new Struct()
                        .add("id", PTR)
                        .add("listen_id", PTR)
                        .add("event", U32)
                        .add("status", U32)
                        .add("private_data", PTR)
                        .add("private_data_len", U8);
        assertEquals(VerbsAbi.CmEvent.ID, event.offset("id"));
        assertEquals(VerbsAbi.CmEvent.LISTEN_ID, event.offset("listen_id"));
        assertEquals(VerbsAbi.CmEvent.TYPE, event.offset("event"));
        assertEquals(VerbsAbi.CmEvent.STATUS, event.offset("status"));
        assertEquals(VerbsAbi.CmEvent.PRIVATE_DATA, event.offset("private_data"));
        assertEquals(VerbsAbi.CmEvent.PRIVATE_DATA_LEN, event.offset("private_data_len"));
        Struct parameters =
                new Struct()
                        .add("private_data", PTR)
                        .add("private_data_len", U8)
                        .add("responder_resources", U8)
                        .add("initiator_depth", U8)
                        .add("flow_control", U8)
                        .add("retry_count", U8)
                        .add("rnr_retry_count", U8)
                        .add("srq", U8)
                        .add("qp_num", U32);
        assertEquals(VerbsAbi.ConnParam.PRIVATE_DATA, parameters.offset("private_data"));
        assertEquals(VerbsAbi.ConnParam.PRIVATE_DATA_LEN, parameters.offset("private_data_len"));
        assertEquals(
                VerbsAbi.ConnParam.RESPONDER_RESOURCES, parameters.offset("responder_resources"));
        assertEquals(VerbsAbi.ConnParam.INITIATOR_DEPTH, parameters.offset("initiator_depth"));
        assertEquals(VerbsAbi.ConnParam.RETRY_COUNT, parameters.offset("retry_count"));
        assertEquals(VerbsAbi.ConnParam.RNR_RETRY_COUNT, parameters.offset("rnr_retry_count"));
        assertEquals(VerbsAbi.ConnParam.SIZE, parameters.size());
    }

    /** Natural alignment of each member; the whole is a multiple of the largest. */
    private static final class Struct {
        private final Map<String, Integer> offsets = new LinkedHashMap<>();
        private int end;
        private int alignment = 1;

        Struct add(String member, int size) {
            return array(member, size, 1);
        }

        Struct array(String member, int size, int count) {
            end = align(end, size);
            offsets.put(member, end);
            end += size * count;
            alignment = Math.max(alignment, size);
            return this;
        }

        int offset(String member) {
            return offsets.get(member);
        }

        int size() {
            return align(end, alignment);
        }

        private static int align(int value, int alignment) {
            return (value + alignment - 1) / alignment * alignment;
        }
    }
}
