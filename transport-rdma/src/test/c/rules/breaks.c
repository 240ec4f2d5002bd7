// SPDX-License-Identifier: Apache-2.0
//
// Breaks one rule of verbs on purpose, the one that its argument names. Without an argument it breaks none
// and exits with 0. Linked with the strict device.

#include "../strict/abi.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ibv_pd *ibv_alloc_pd(struct ibv_context *);
int ibv_dealloc_pd(struct ibv_pd *);
struct ibv_mr *ibv_reg_mr(struct ibv_pd *, void *, size_t, int);
int ibv_dereg_mr(struct ibv_mr *);
struct ibv_cq *ibv_create_cq(struct ibv_context *, int, void *, void *, int);
int ibv_destroy_cq(struct ibv_cq *);
struct rdma_event_channel *rdma_create_event_channel(void);
void rdma_destroy_event_channel(struct rdma_event_channel *);
int rdma_create_id(struct rdma_event_channel *, struct rdma_cm_id **, void *, int);
int rdma_destroy_id(struct rdma_cm_id *);
int rdma_bind_addr(struct rdma_cm_id *, struct sockaddr *);
int rdma_listen(struct rdma_cm_id *, int);
int rdma_resolve_addr(struct rdma_cm_id *, struct sockaddr *, struct sockaddr *, int);
int rdma_resolve_route(struct rdma_cm_id *, int);
int rdma_create_qp(struct rdma_cm_id *, struct ibv_pd *, struct ibv_qp_init_attr *);
void rdma_destroy_qp(struct rdma_cm_id *);
int rdma_connect(struct rdma_cm_id *, struct rdma_conn_param *);
int rdma_accept(struct rdma_cm_id *, struct rdma_conn_param *);
int rdma_get_cm_event(struct rdma_event_channel *, struct rdma_cm_event **);
int rdma_ack_cm_event(struct rdma_cm_event *);
int strict_remove(int), strict_add(int);
void strict_plan(const char *);
int64_t strict_count(const char *);

enum { DEPTH = 4, LENGTH = 4096, NOBODYS_OPERATION = 99, UDP_PORT_SPACE = 0x111 };

struct end {
    struct rdma_cm_id *id;
    struct ibv_pd *pd;
    struct ibv_cq *sends, *receives;
    struct ibv_mr *mr;
    char *memory;
};

static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener;
static struct end a, b;
static int send_completions = DEPTH;

static void need(int holds, const char *what) {
    if (!holds) {
        perror(what);
        exit(3);
    }
}

static struct rdma_cm_event *expect(int type) {
    struct rdma_cm_event *event;
    need(rdma_get_cm_event(channel, &event) == 0 && event->event == type, "event");
    return event;
}

static void equip(struct end *end) {
    end->pd = ibv_alloc_pd(end->id->verbs);
    end->sends = ibv_create_cq(end->id->verbs, send_completions, NULL, NULL, 0);
    end->receives = ibv_create_cq(end->id->verbs, DEPTH, NULL, NULL, 0);
    end->memory = aligned_alloc(LENGTH, 2 * LENGTH);
    end->mr = ibv_reg_mr(end->pd, end->memory, LENGTH, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    struct ibv_qp_init_attr attr = {.send_cq = end->sends, .recv_cq = end->receives, .qp_type = 2, .cap = {DEPTH, DEPTH, 2, 1, 32}};
    need(rdma_create_qp(end->id, end->pd, &attr) == 0, "rdma_create_qp");
}

static void open_connection(int is_established) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    struct rdma_conn_param none = {.retry_count = 6, .rnr_retry_count = 7};
    inet_pton(AF_INET, "127.7.0.1", &address.sin_addr);
    channel = rdma_create_event_channel();
    need(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    need(rdma_bind_addr(listener, (struct sockaddr *)&address) == 0, "rdma_bind_addr");
    need(rdma_listen(listener, 4) == 0, "rdma_listen");
    need(rdma_create_id(channel, &a.id, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    rdma_resolve_addr(a.id, NULL, (struct sockaddr *)&listener->src, 1000);
    rdma_ack_cm_event(expect(RDMA_CM_EVENT_ADDR_RESOLVED));
    rdma_resolve_route(a.id, 1000);
    rdma_ack_cm_event(expect(RDMA_CM_EVENT_ROUTE_RESOLVED));
    equip(&a);
    if (!is_established)
        return;
    need(rdma_connect(a.id, &none) == 0, "rdma_connect");
    struct rdma_cm_event *request = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
    b.id = request->id;
    rdma_ack_cm_event(request);
    equip(&b);
    need(rdma_accept(b.id, &none) == 0, "rdma_accept");
    rdma_ack_cm_event(expect(RDMA_CM_EVENT_ESTABLISHED));
    rdma_ack_cm_event(expect(RDMA_CM_EVENT_ESTABLISHED));
}

static struct ibv_sge piece_of(struct end *end) {
    return (struct ibv_sge){.addr = (uint64_t)end->memory, .length = 8, .lkey = end->mr->lkey};
}

static int post_from(struct end *end, int opcode, struct ibv_sge *pieces, int count, unsigned flags) {
    struct end *to = end == &a ? &b : &a;
    struct ibv_send_wr wr = {.sg_list = pieces, .num_sge = count, .opcode = opcode, .send_flags = flags, .remote_addr = to->mr ? (uint64_t)to->memory : 0}, *bad;
    wr.rkey = to->mr ? to->mr->rkey : 0;
    return ((int (*)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **))end->id->verbs->ops[OP_POST_SEND])(end->id->qp, &wr, &bad);
}

static int post(struct ibv_sge *pieces, int count, unsigned flags) {
    return post_from(&a, IBV_WR_RDMA_WRITE, pieces, count, flags);
}

static int receive_at(struct end *end, struct ibv_sge *into) {
    struct ibv_recv_wr wr = {.sg_list = into, .num_sge = 1}, *bad;
    return ((int (*)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **))end->id->verbs->ops[OP_POST_RECV])(end->id->qp, &wr, &bad);
}

static int receive(struct ibv_sge *into) {
    return receive_at(&a, into);
}

// The rule is found by the thread that completes requests; ten seconds are more than it takes.
static void await_end(void) {
    for (int i = 0; i < 1000; i++)
        usleep(10000);
}

static void await_completion(struct ibv_cq *queue) {
    int (*poll)(struct ibv_cq *, int, struct ibv_wc *) = (int (*)(struct ibv_cq *, int, struct ibv_wc *))a.id->verbs->ops[OP_POLL_CQ];
    struct ibv_wc wc;
    for (int i = 0; i < 1000 && poll(queue, 1, &wc) == 0; i++)
        usleep(10000);
}

// That the peer has the message does not return the memory: only the sender's completion does.
static void change_what_is_sent(struct ibv_sge *message) {
    struct ibv_sge into = piece_of(&b);
    receive_at(&b, &into);
    post_from(&a, IBV_WR_SEND, message, 1, IBV_SEND_SIGNALED);
    await_completion(b.receives);
    a.memory[0]++;
    await_completion(a.sends);
}

static void close_end(struct end *end) {
    rdma_destroy_qp(end->id);
    need(ibv_destroy_cq(end->sends) == 0 && ibv_destroy_cq(end->receives) == 0 && ibv_dereg_mr(end->mr) == 0 && ibv_dealloc_pd(end->pd) == 0, "destroy");
    need(rdma_destroy_id(end->id) == 0, "rdma_destroy_id");
}

static void *post_one(void *unused) {
    struct ibv_sge into = piece_of(&a);
    receive(&into);
    return unused;
}

static void *destroy_queue_pair(void *id) {
    rdma_destroy_qp(id);
    return NULL;
}

// The region is left when librdmacm, asked for the device anew, closes the context of the removed one.
static void outlive_device(void) {
    struct sockaddr_in address = listener->src;
    address.sin_port = 0;
    strict_remove(0);
    strict_add(0);
    for (int i = 0; i < 3; i++) // one removal for each id
        rdma_ack_cm_event(expect(RDMA_CM_EVENT_DEVICE_REMOVAL));
    rdma_destroy_qp(b.id);
    rdma_destroy_id(b.id);
    rdma_destroy_qp(a.id);
    rdma_destroy_id(a.id);
    rdma_destroy_id(listener);
    need(rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    need(rdma_bind_addr(listener, (struct sockaddr *)&address) == 0, "rdma_bind_addr");
    ibv_dereg_mr(a.mr);
}

int main(int count, char **arguments) {
    const char *rule = count > 1 ? arguments[1] : "";
#define BREAKS(name) (!strcmp(rule, name))
    if (BREAKS("completion-queue-overrun"))
        send_completions = 1;
    open_connection(!BREAKS("post-before-connected"));
    struct ibv_sge one = piece_of(&a), three[3] = {one, one, one};
    if (BREAKS("local-key"))
        one.lkey = a.mr->rkey, post(&one, 1, 0);
    else if (BREAKS("local-domain"))
        one.lkey = b.mr->lkey, post(&one, 1, 0);
    else if (BREAKS("local-bounds"))
        one.length = LENGTH + 1, post(&one, 1, 0);
    else if (BREAKS("local-access"))
        one.lkey = ibv_reg_mr(a.pd, a.memory, LENGTH, 0)->lkey, receive(&one);
    else if (BREAKS("deregistered-while-posted"))
        receive(&one), ibv_dereg_mr(a.mr);
    else if (BREAKS("access-flags"))
        ibv_reg_mr(a.pd, a.memory, LENGTH, 1 << 20);
    else if (BREAKS("too-many-pieces"))
        post(three, 3, 0);
    else if (BREAKS("inline-too-long"))
        one.length = 33, post(&one, 1, IBV_SEND_INLINE);
    else if (BREAKS("send-queue-overflow"))
        for (int i = 0; i <= DEPTH; i++)
            post(&one, 1, 0);
    else if (BREAKS("receive-queue-overflow"))
        for (int i = 0; i <= DEPTH; i++)
            receive(&one);
    else if (BREAKS("post-before-connected"))
        post(&one, 1, 0);
    else if (BREAKS("changed-before-completion"))
        change_what_is_sent(&one);
    else if (BREAKS("completion-queue-overrun"))
        post(&one, 1, IBV_SEND_SIGNALED), post(&one, 1, IBV_SEND_SIGNALED), await_end();
    else if (BREAKS("first-to-speak")) {
        struct ibv_sge of_b = piece_of(&b);
        post_from(&b, IBV_WR_SEND, &of_b, 1, 0);
    } else if (BREAKS("opcode"))
        post_from(&a, NOBODYS_OPERATION, &one, 1, 0);
    else if (BREAKS("atomic-word"))
        one.length = 4, post_from(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, &one, 1, 0);
    else if (BREAKS("port-space"))
        rdma_create_id(channel, &(struct rdma_cm_id *){NULL}, NULL, UDP_PORT_SPACE);
    else if (BREAKS("use-after-destroy"))
        ibv_dereg_mr(a.mr), ibv_dereg_mr(a.mr);
    else if (BREAKS("use-after-close"))
        outlive_device();
    else if (BREAKS("id-with-queue-pair"))
        rdma_destroy_id(a.id);
    else if (BREAKS("channel-with-ids"))
        rdma_destroy_event_channel(channel);
    else if (BREAKS("unacknowledged-event"))
        close_end(&b), expect(RDMA_CM_EVENT_DISCONNECTED), rdma_destroy_qp(a.id), rdma_destroy_id(a.id);
    else if (BREAKS("event-while-destroyed")) {
        pthread_t thread;
        close_end(&b);
        strict_plan("rdma_destroy_qp:1:~5000");
        pthread_create(&thread, NULL, destroy_queue_pair, a.id);
        while (!strict_count("held"))
            usleep(1000);
        expect(RDMA_CM_EVENT_DISCONNECTED);
    } else if (BREAKS("two-threads-post")) {
        pthread_t threads[2];
        strict_plan("ibv_post_recv:1:~5000");
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, post_one, NULL);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    } else if (BREAKS("message-too-long")) {
        size_t length = (1u << 20) + 8;
        one.addr = (uint64_t)calloc(1, length), one.length = (uint32_t)length;
        one.lkey = ibv_reg_mr(a.pd, (void *)one.addr, length, 0)->lkey, post(&one, 1, 0);
    } else if (BREAKS("zero-length-piece"))
        one.length = 0, post(&one, 1, 0);
    else if (*rule)
        return 4;
    close_end(&a);
    close_end(&b);
    rdma_destroy_id(listener);
    rdma_destroy_event_channel(channel);
    return 0;
}
