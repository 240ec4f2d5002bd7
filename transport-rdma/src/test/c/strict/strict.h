// SPDX-License-Identifier: Apache-2.0
//
// A strict RDMA device for tests, in the place of libibverbs.so.1 and librdmacm.so.1. It checks what real
// adapters and libraries take for granted; a broken rule ends the process with the rule's name. A profile
// makes it behave as one kind of adapter does.
//
//   devices.c      devices, contexts, their own events; removal, return and change of address
//   memory.c       protection domains and regions
//   completions.c  completion queues
//   queuepairs.c   queue pairs: states, posting, completing
//   wire.c         what two ends say to each other over a Unix socket, in one process or two
//   landing.c      in which order the bytes of writes become visible
//   ids.c          the connection manager's ids and their addresses
//   events.c       its event channels
//   connect.c      how two ids come to be connected
//   profiles.c     kinds of adapters
//   faults.c       broken rules, planned faults, counts
//   mishaps.c      what happens to a single connection
//
// One lock guards everything: an adapter may do what it likes, and speed is no goal.
#ifndef STRICT_H
#define STRICT_H

#include "abi.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define MAX_DEVICES 4
#define MAX_PIECES 4

// profiles.c

struct profile {
    const char *name;
    int transport, link_layer;
    uint32_t vendor_id;
    uint32_t max_inline, max_message;
    int max_qp_wr, max_cqe, max_mr;
    bool zero_is_2gib;          // a piece of length 0 is read as 2 GiB
    bool first_piece_always;    // a write takes its first piece whatever num_sge says
    bool overtakes;             // a later write may be placed before an earlier one
    bool completes_early;       // a request completes when it is on its way
    bool no_rkey_unless_remote; // a region without remote access has the remote key 0
    bool no_query_qp;
    bool in_order;              // what ibv_query_qp_data_in_order answers
    bool atomics;
};

extern const struct profile *profile;
void choose_profile(const char *name);
bool is_iwarp(void);

// faults.c

#define RULE(name, ...) broken_rule(name, __VA_ARGS__)
void broken_rule(const char *name, const char *detail, ...) __attribute__((noreturn, format(printf, 2, 3)));

// Errno that the plan has for this call of the name, or 0. "drop" in the plan is DROP.
#define DROP (-1)
int fault(const char *name);
int fault_and_delay(const char *name, int *delay_ms);
void load_plan(void);

// A call that fails as planned: sets errno and returns the value.
#define FAULT(value)                                                                                     \
    do {                                                                                                 \
        int planned = fault(__func__);                                                                   \
        if (planned) {                                                                                   \
            errno = planned;                                                                             \
            return value;                                                                                \
        }                                                                                                \
    } while (0)
// The same for a call that returns the error number.
#define FAULT_CODE()                                                                                     \
    do {                                                                                                 \
        int planned = fault(__func__);                                                                   \
        if (planned)                                                                                     \
            return planned;                                                                              \
    } while (0)

enum count { POST_SEND_CALLS, REQUESTS, INLINE_BYTES, POST_RECV_CALLS, WRITES, SENDS, EMPTY_WRITES, ATOMICS, QUEUE_PAIRS, LONGEST_RNR_US, ADAPTER_READS, PACKETS, BYTES, HELD, IDS, DOMAINS, REGIONS, COMPLETION_QUEUES, COUNTS };
void count(enum count what, uint64_t how_many);
void count_longest(enum count what, uint64_t value);

// devices.c

struct device {
    struct ibv_device base;
    struct in_addr address;
    bool is_there;
    int incarnation;
    struct cm_device *cm; // librdmacm's own view of the incarnation that it knows
};

struct context {
    struct ibv_context base;
    struct device *device;
    int incarnation;
    bool is_open;
    int event_writer;  // end of the pipe behind async_fd
    int unacknowledged;
    struct context *next;
};

// librdmacm's entry for a device: closes its context when the device is gone and no id uses it.
struct cm_device {
    struct context *context;
    int users;
    bool is_dead;
};

extern pthread_mutex_t lock;
extern struct device devices[MAX_DEVICES];
extern int device_count;
void start(void);
struct context *open_context(struct device *device);
void close_context(struct context *context);
struct context *context_of(struct ibv_context *context, const char *call);
bool is_gone(struct context *context);
int destroyed(struct context *context); // 0, or EIO where the device is gone
void count_end(enum count what, bool *is_uncounted); // once, also where the device is gone
void raise_event(struct context *context, int type, void *element, int port);
struct device *device_at(struct in_addr address);
bool is_of_a_device(struct in_addr address); // present or removed
struct cm_device *use_device(struct device *device);
void leave_device(struct cm_device *device);

// memory.c

struct domain {
    struct ibv_pd base;
    struct context *context;
    bool is_open, is_uncounted;
    int users;
};

struct domain *domain_of(struct ibv_pd *pd, const char *call);
bool has_connection(const struct domain *domain); // a queue pair that takes writes
void require_local(struct domain *domain, const struct ibv_sge *piece, bool is_written);
bool is_remote_allowed(struct domain *domain, uint32_t rkey, uint64_t address, uint64_t length, int access);

// completions.c

struct completion {
    struct ibv_wc wc;
    struct queue_pair *sender; // whose send queue it frees, or null
    uint64_t number;
    int64_t due_ns; // polled from then on
};

struct completion_queue {
    struct ibv_cq base;
    struct context *context;
    bool is_open, is_uncounted;
    int users;
    uint32_t head, count; // count is read without the lock
    struct completion *entries;
};

struct completion_queue *completion_queue_of(struct ibv_cq *cq, const char *call);
void complete(struct completion_queue *queue, const struct completion *completion);
int poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc);

// queuepairs.c

struct request {
    uint64_t id;
    int opcode;
    unsigned flags;
    int pieces;
    struct ibv_sge piece[MAX_PIECES];
    uint8_t *inline_data;
    uint64_t length;
    uint64_t remote, operand;
    uint32_t rkey;
    uint64_t digest; // of the memory when it was read
};

struct receive {
    uint64_t id;
    struct ibv_sge piece;
};

struct queue_pair {
    struct ibv_qp base;
    struct context *context;
    struct domain *domain;
    struct completion_queue *sends, *receives;
    struct cm_id *id;
    struct wire *wire;
    struct ibv_qp_cap cap;
    bool is_open;
    int posting; // threads inside ibv_post_send
    int receiving;
    struct request *requests; // ring by number
    uint64_t posted, sent, done, freed;
    struct receive *slots; // ring
    uint32_t slot_head, slot_count;
    uint8_t rnr_timer, rnr_retry, retry, ack_timeout, traffic_class;
};

void make_queue_pair(struct queue_pair *qp, struct context *context, struct domain *domain, struct ibv_qp_init_attr *attr);
void end_queue_pair(struct queue_pair *qp);
void fail_queue_pair(struct queue_pair *qp);
bool is_posted(uint32_t lkey); // in a request or receive that has not completed
void finish_requests(struct queue_pair *qp, uint64_t number, int status);
int post_send(struct ibv_qp *qp, struct ibv_send_wr *list, struct ibv_send_wr **bad);
int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *list, struct ibv_recv_wr **bad);
uint64_t digest(const struct request *request);
void free_requests(struct queue_pair *qp, uint64_t number, int status);

// landing.c

void land(uint64_t address, const uint8_t *from, uint64_t length);
void gather(const struct request *request, uint8_t *to);

// wire.c

enum message_type { REQUEST, ACCEPT, REJECT, READY, WRITE, SEND, FETCH_ADD, DONE, BYE, DARK };

struct message {
    uint32_t type;
    uint32_t length; // of what follows
    uint64_t remote, operand;
    uint32_t rkey;
    int32_t status;
    uint8_t retry, rnr_retry, traffic_class, unused[5];
};

struct buffer {
    uint8_t *bytes;
    size_t begin, end, capacity;
};

struct wire {
    int fd;
    struct cm_id *id; // null where only the rest is to be sent
    struct buffer in, out;
    uint64_t landed;   // requests of the peer that are carried out
    uint64_t told;     // of these, known to the peer
    int64_t stalled_ns; // no receive was posted: goes on then; 0 if it does not wait
    int rnr_left;
    int64_t gone_ns; // since when the peer answers nothing; 0 if it does
    bool is_dark;  // this side's device is gone: neither hears nor says anything
    bool is_quiet; // the peer's device is gone
    bool is_over;  // nothing more arrives
    struct wire *next;
};

void start_service(void);
struct wire *open_wire(int fd, struct cm_id *id);
void put_message(struct wire *wire, const struct message *message, const void *data);
void pump(struct wire *wire);      // sends what can be sent
void leave_wire(struct wire *wire);
void cut_wire(struct wire *wire); // the device is gone: the peer hears nothing more
void wake_service(void);
int64_t now_ns(void);
extern uint64_t rounds; // of the service thread

// ids.c

enum cm_state { IDLE, BOUND, LISTENING, RESOLVED, CONNECTING, REQUESTED, ACCEPTED, CONNECTED, OVER };

struct channel {
    struct rdma_event_channel base;
    bool is_open;
    int ids;
    struct event *first, **last;
};

struct cm_id {
    struct rdma_cm_id base;
    bool is_open;
    enum cm_state state;
    struct device *device;
    struct cm_device *cm;
    struct context *context;
    struct channel *channel;
    struct queue_pair *qp;
    struct wire *wire;
    int listener; // socket that holds the port, or -1
    bool is_stale; // the address changed: hears nothing any more
    bool is_ending; // its queue pair is being destroyed
    bool is_passive, has_left, is_disconnected, is_told; // told: COMM_EST
    int unacknowledged;
    uint8_t ack_timeout, traffic_class, retry, rnr_retry;
    struct cm_id *next;
};

extern struct cm_id *ids;
struct sockaddr_un;
struct cm_id *id_of(struct rdma_cm_id *id, const char *call);
struct cm_id *new_id(struct channel *channel);
void end_id(struct cm_id *id);
void bind_to_device(struct cm_id *id, struct device *device);
void say_goodbye(struct cm_id *id);
void close_port(struct cm_id *id);
socklen_t port_name(struct sockaddr_un *name, struct in_addr address, uint16_t port);

// events.c

void tell(struct cm_id *id, int event, int status, struct cm_id *listener, const void *data, int length, int padded);
void forget_events(struct cm_id *id);

// connect.c

// Reject reasons of IBA 12.6.7.2.
enum { INVALID_SERVICE_ID = 8, CONSUMER_DEFINED = 28 };

void on_request(struct cm_id *listener, int fd);
void on_message(struct wire *wire, const struct message *message, const uint8_t *data);
void on_end_of_wire(struct wire *wire);
void on_data_before_ready(struct cm_id *id);

#endif
