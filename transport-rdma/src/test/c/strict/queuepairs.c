// SPDX-License-Identifier: Apache-2.0
//
// Queue pairs: what may be posted, and how requests complete.

#include "strict.h"

#define SAMPLE 64
#define MTU 4096

static uint32_t next_number = 100;

void make_queue_pair(struct queue_pair *qp, struct context *context, struct domain *domain, struct ibv_qp_init_attr *attr) {
    qp->context = context;
    qp->domain = domain;
    qp->sends = completion_queue_of(attr->send_cq, "rdma_create_qp");
    qp->receives = completion_queue_of(attr->recv_cq, "rdma_create_qp");
    qp->cap = attr->cap;
    qp->base = (struct ibv_qp){
        .context = &context->base, .qp_context = attr->qp_context, .pd = &domain->base, .send_cq = attr->send_cq,
        .recv_cq = attr->recv_cq, .qp_num = next_number++, .state = IBV_QPS_INIT, .qp_type = attr->qp_type};
    qp->requests = calloc(qp->cap.max_send_wr, sizeof *qp->requests);
    qp->slots = calloc(qp->cap.max_recv_wr, sizeof *qp->slots);
    qp->is_open = true;
    count(QUEUE_PAIRS, 1);
    domain->users++;
    qp->sends->users++;
    qp->receives->users++;
}

void end_queue_pair(struct queue_pair *qp) {
    qp->is_open = false;
    count(QUEUE_PAIRS, UINT64_MAX);
    qp->domain->users--;
    qp->sends->users--;
    qp->receives->users--;
    for (uint64_t number = qp->done; number < qp->posted; number++)
        free(qp->requests[number % qp->cap.max_send_wr].inline_data);
    free(qp->requests);
    free(qp->slots);
    qp->requests = NULL;
    qp->slots = NULL;
}

static struct queue_pair *queue_pair_of(struct ibv_qp *base, const char *call) {
    struct queue_pair *qp = (struct queue_pair *)base;
    if (!qp->is_open)
        RULE("use-after-destroy", "%s of a queue pair that was destroyed", call);
    return qp;
}

// The first and last bytes of each piece.
uint64_t digest(const struct request *request) {
    uint64_t value = 1469598103934665603ull;
    if (request->flags & IBV_SEND_INLINE)
        return value;
    for (int i = 0; i < request->pieces; i++) {
        const uint8_t *bytes = (const uint8_t *)request->piece[i].addr;
        uint32_t length = request->piece[i].length;
        for (uint32_t at = 0; at < length; at++) {
            if (at == SAMPLE && length > 2 * SAMPLE)
                at = length - SAMPLE;
            value = (value ^ bytes[at]) * 1099511628211ull;
        }
    }
    return value;
}

// Completing

// changed-before-completion: IBA 10.8.3.2: the consumer must not change the memory of a request before it has
// polled the request's completion, or that of a later request.
void free_requests(struct queue_pair *qp, uint64_t number, int status) {
    for (; qp->freed < number; qp->freed++) {
        struct request *request = &qp->requests[qp->freed % qp->cap.max_send_wr];
        bool is_read = status == IBV_WC_SUCCESS && qp->freed < qp->sent && !is_gone(qp->context);
        if (is_read && request->digest != digest(request))
            RULE("changed-before-completion", "the memory of request %lu changed before its completion was polled", (unsigned long)request->id);
    }
}

static void complete_receive(struct queue_pair *qp, int status) {
    struct completion completion = {
        .wc = {.wr_id = qp->slots[qp->slot_head].id, .status = status, .opcode = IBV_WC_RECV, .qp_num = qp->base.qp_num}};
    qp->slot_head = (qp->slot_head + 1) % qp->cap.max_recv_wr;
    qp->slot_count--;
    complete(qp->receives, &completion);
}

static void finish(struct queue_pair *qp, int status) {
    struct request *request = &qp->requests[qp->done % qp->cap.max_send_wr];
    qp->done++;
    free(request->inline_data);
    request->inline_data = NULL;
    // Requests that fail or are flushed complete even if unsignaled: IBA 10.8.3.3.
    if (status == IBV_WC_SUCCESS && !(request->flags & IBV_SEND_SIGNALED))
        return;
    struct completion completion = {
        .wc = {.wr_id = request->id, .status = status, .vendor_err = status ? 0x81 : 0, .qp_num = qp->base.qp_num,
               .opcode = request->opcode == IBV_WR_SEND ? IBV_WC_SEND
                         : request->opcode == IBV_WR_RDMA_WRITE ? IBV_WC_RDMA_WRITE : IBV_WC_FETCH_ADD},
        .sender = qp,
        .number = qp->done};
    complete(qp->sends, &completion);
}

// To the error state: all that is outstanding is flushed, IBA 10.3.1.
void fail_queue_pair(struct queue_pair *qp) {
    if (!qp->is_open || qp->base.state == IBV_QPS_ERR || is_gone(qp->context))
        return;
    qp->base.state = IBV_QPS_ERR;
    while (qp->done < qp->posted)
        finish(qp, IBV_WC_WR_FLUSH_ERR);
    while (qp->slot_count)
        complete_receive(qp, IBV_WC_WR_FLUSH_ERR);
}

// All requests up to this number are done; the last with this status.
void finish_requests(struct queue_pair *qp, uint64_t number, int status) {
    if (!qp->is_open || qp->base.state == IBV_QPS_ERR)
        return;
    while (qp->done < number && qp->done < qp->posted)
        finish(qp, qp->done + 1 == number ? status : IBV_WC_SUCCESS);
    if (status != IBV_WC_SUCCESS)
        fail_queue_pair(qp);
}

static bool has_posted(const struct queue_pair *qp, uint32_t lkey) {
    for (uint64_t number = qp->freed; number < qp->posted; number++) {
        const struct request *request = &qp->requests[number % qp->cap.max_send_wr];
        for (int i = 0; i < request->pieces && !(request->flags & IBV_SEND_INLINE); i++)
            if (request->piece[i].lkey == lkey && request->piece[i].length)
                return true;
    }
    for (uint32_t i = 0; i < qp->slot_count; i++)
        if (qp->slots[(qp->slot_head + i) % qp->cap.max_recv_wr].piece.lkey == lkey)
            return true;
    return false;
}

bool is_posted(uint32_t lkey) {
    for (struct cm_id *id = ids; id; id = id->next)
        if (id->is_open && id->qp && id->qp->is_open && !is_gone(id->context) && has_posted(id->qp, lkey))
            return true;
    return false;
}

// Posting

// inline-too-long, too-many-pieces: ibv_post_send(3): EINVAL or, in a provider without checks, a broken queue.
static void check_request(struct queue_pair *qp, struct request *request, const struct ibv_send_wr *wr) {
    if (wr->num_sge < 0 || wr->num_sge > (int)qp->cap.max_send_sge || wr->num_sge > MAX_PIECES)
        RULE("too-many-pieces", "%d pieces, max_send_sge is %u", wr->num_sge, qp->cap.max_send_sge);
    if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? !profile->atomics : wr->opcode != IBV_WR_RDMA_WRITE && wr->opcode != IBV_WR_SEND)
        RULE("opcode", "the operation %d is not this device's", wr->opcode);
    for (int i = 0; i < request->pieces; i++) {
        if (profile->zero_is_2gib && request->piece[i].length == 0)
            RULE("zero-length-piece", "a piece of no bytes is one of 2 GiB on this device");
        if (!(request->flags & IBV_SEND_INLINE) && request->piece[i].length && wr->num_sge)
            require_local(qp->domain, &request->piece[i], wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD);
        request->length += request->piece[i].length;
    }
    if (request->flags & IBV_SEND_INLINE && request->length > qp->cap.max_inline_data)
        RULE("inline-too-long", "%lu bytes inline, max_inline_data is %u", (unsigned long)request->length, qp->cap.max_inline_data);
    // IBA 9.7.2 and ibv_query_port(3): no message is longer than the port's max_msg_sz.
    if (request->length > profile->max_message)
        RULE("message-too-long", "%lu bytes, max_msg_sz is %u", (unsigned long)request->length, profile->max_message);
    if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD && (request->length != 8 || request->remote & 7))
        RULE("atomic-word", "an atomic takes 8 bytes at an address that is a multiple of 8: IBA 9.4.5");
}

static void take_request(struct queue_pair *qp, const struct ibv_send_wr *wr) {
    // send-queue-overflow: IBA 10.8.2.1: a full queue takes nothing; whoever posts must count. A slot is free when
    // a completion at or behind it was polled, so that too few signaled requests fill the queue, too.
    if (qp->posted - qp->freed >= qp->cap.max_send_wr)
        RULE("send-queue-overflow", "%lu requests outstanding, max_send_wr is %u", (unsigned long)(qp->posted - qp->freed), qp->cap.max_send_wr);
    struct request *request = &qp->requests[qp->posted % qp->cap.max_send_wr];
    *request = (struct request){
        .id = wr->wr_id, .opcode = wr->opcode, .flags = wr->send_flags, .pieces = wr->num_sge, .remote = wr->remote_addr,
        .rkey = wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? wr->atomic_rkey : wr->rkey, .operand = wr->compare_add};
    if (wr->num_sge > 0 && wr->num_sge <= MAX_PIECES)
        memcpy(request->piece, wr->sg_list, (size_t)wr->num_sge * sizeof *wr->sg_list);
    // As irdma's library does: the first piece counts whatever num_sge says. What it names need not be there any
    // more; the adapter reads it all the same.
    if (profile->first_piece_always && wr->opcode == IBV_WR_RDMA_WRITE && wr->num_sge == 0 && wr->sg_list) {
        request->piece[0] = *wr->sg_list;
        request->pieces = request->piece[0].length ? 1 : 0;
    }
    check_request(qp, request, wr);
    count(PACKETS, request->length ? (request->length + MTU - 1) / MTU : 1);
    count(BYTES, request->length);
    // A PCIe round trip for bytes that are not inline, however many pieces they have.
    if (request->length && !(request->flags & IBV_SEND_INLINE))
        count(ADAPTER_READS, 1);
    if (request->flags & IBV_SEND_INLINE && request->length) {
        request->inline_data = malloc(request->length);
        uint8_t *to = request->inline_data;
        for (int i = 0; i < request->pieces; i++) {
            memcpy(to, (void *)request->piece[i].addr, request->piece[i].length);
            to += request->piece[i].length;
        }
        count(INLINE_BYTES, request->length);
    }
    count(wr->opcode == IBV_WR_SEND ? SENDS : wr->opcode == IBV_WR_RDMA_WRITE ? WRITES : ATOMICS, 1);
    if (wr->opcode == IBV_WR_RDMA_WRITE && request->length == 0)
        count(EMPTY_WRITES, 1);
    qp->posted++;
}

// two-threads-post: a queue pair is one agent's. Libraries lock, but mlx5 does not where it is told to be fast.
static void enter(int *threads, const char *call) {
    if (__atomic_exchange_n(threads, 1, __ATOMIC_ACQUIRE))
        RULE("two-threads-post", "%s by two threads at once", call);
}

int post_send(struct ibv_qp *base, struct ibv_send_wr *list, struct ibv_send_wr **bad) {
    struct queue_pair *qp = queue_pair_of(base, "ibv_post_send");
    enter(&qp->posting, "ibv_post_send");
    pthread_mutex_lock(&lock);
    context_of(base->context, "ibv_post_send");
    count(POST_SEND_CALLS, 1);
    int error = fault("ibv_post_send");
    if (error)
        *bad = list;
    // post-before-connected: IBA 10.3.1: no sends before ready to send.
    if (base->state == IBV_QPS_INIT)
        RULE("post-before-connected", "ibv_post_send before the connection is established");
    // first-to-speak: RFC 5044, 7.1.2: the side that accepts sends nothing before the first message has come.
    if (is_iwarp() && qp->id->is_passive && qp->id->wire && qp->id->wire->landed == 0)
        RULE("first-to-speak", "the accepting side of an iWARP connection posts first");
    // Libraries push a lone entry whole to the adapter, which fetches the entries of a list: rdma-core, mlx5
    // qp.c post_send_db (nreq == 1), cxgb4 t4.h (inc == 1).
    if (list && list->next && !error)
        count(ADAPTER_READS, 1);
    for (; list && !error && !is_gone(qp->context); list = list->next) {
        count(REQUESTS, 1);
        take_request(qp, list);
        if (base->state == IBV_QPS_ERR)
            finish(qp, IBV_WC_WR_FLUSH_ERR);
    }
    if (qp->id->wire)
        pump(qp->id->wire);
    pthread_mutex_unlock(&lock);
    __atomic_store_n(&qp->posting, 0, __ATOMIC_RELEASE);
    return error;
}

int post_recv(struct ibv_qp *base, struct ibv_recv_wr *list, struct ibv_recv_wr **bad) {
    struct queue_pair *qp = queue_pair_of(base, "ibv_post_recv");
    enter(&qp->receiving, "ibv_post_recv");
    pthread_mutex_lock(&lock);
    context_of(base->context, "ibv_post_recv");
    count(POST_RECV_CALLS, 1);
    int error = fault("ibv_post_recv");
    if (error)
        *bad = list;
    for (; list && !error && !is_gone(qp->context); list = list->next) {
        if (qp->slot_count == qp->cap.max_recv_wr)
            RULE("receive-queue-overflow", "more receives than max_recv_wr, %u", qp->cap.max_recv_wr);
        if (list->num_sge != 1)
            RULE("too-many-pieces", "a receive of %d pieces, max_recv_sge is %u", list->num_sge, qp->cap.max_recv_sge);
        require_local(qp->domain, list->sg_list, true);
        uint32_t at = (qp->slot_head + qp->slot_count++) % qp->cap.max_recv_wr;
        qp->slots[at] = (struct receive){.id = list->wr_id, .piece = *list->sg_list};
        if (base->state == IBV_QPS_ERR)
            complete_receive(qp, IBV_WC_WR_FLUSH_ERR);
    }
    pthread_mutex_unlock(&lock);
    __atomic_store_n(&qp->receiving, 0, __ATOMIC_RELEASE);
    return error;
}

// Attributes

EXPORT int ibv_query_qp(struct ibv_qp *base, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) {
    (void)mask;
    FAULT_CODE();
    if (profile->no_query_qp)
        return EOPNOTSUPP;
    pthread_mutex_lock(&lock);
    struct queue_pair *qp = queue_pair_of(base, __func__);
    context_of(base->context, __func__);
    if (is_gone(qp->context)) {
        pthread_mutex_unlock(&lock);
        return EIO;
    }
    memset(attr, 0, sizeof *attr);
    memset(init, 0, sizeof *init);
    attr->qp_state = base->state;
    attr->path_mtu = IBV_MTU_4096;
    attr->min_rnr_timer = qp->rnr_timer;
    attr->port_num = 1;
    attr->timeout = qp->ack_timeout;
    attr->retry_cnt = qp->retry;
    attr->rnr_retry = qp->rnr_retry;
    attr->traffic_class = qp->traffic_class;
    pthread_mutex_unlock(&lock);
    return 0;
}

// IBA 11.2.5.2, table of transitions: in RTS the minimum RNR timer may change, the ACK time-out may not.
EXPORT int ibv_modify_qp(struct ibv_qp *base, struct ibv_qp_attr *attr, int mask) {
    FAULT_CODE();
    pthread_mutex_lock(&lock);
    struct queue_pair *qp = queue_pair_of(base, __func__);
    context_of(base->context, __func__);
    int error = is_gone(qp->context) ? EIO : mask == IBV_QP_MIN_RNR_TIMER && base->state == IBV_QPS_RTS && !is_iwarp() ? 0 : EINVAL;
    if (!error)
        qp->rnr_timer = attr->min_rnr_timer;
    pthread_mutex_unlock(&lock);
    return error;
}

EXPORT int ibv_query_qp_data_in_order(struct ibv_qp *base, int operation, uint32_t flags) {
    (void)flags;
    pthread_mutex_lock(&lock);
    queue_pair_of(base, __func__);
    context_of(base->context, __func__);
    pthread_mutex_unlock(&lock);
    return profile->in_order && operation == IBV_WR_RDMA_WRITE;
}
