// SPDX-License-Identifier: Apache-2.0
//
// Queue pairs of ids, and how two ids come to be connected and leave each other.

#define _GNU_SOURCE
#include "strict.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Private data as events give it: padded to what the fabric's packets hold (IBA 12.6; iWARP pads nothing).
enum { REQUEST_DATA = 56, REJECT_DATA = 148, ACCEPT_DATA = 196 };

// Queue pairs of ids

static int queue_pair_refusal(struct cm_id *id, struct domain *domain, const struct ibv_qp_init_attr *attr) {
    if (!id->context || id->qp || domain->context != id->context)
        return EINVAL;
    if (is_gone(id->context))
        return EIO;
    bool fits = attr->cap.max_send_wr <= (uint32_t)profile->max_qp_wr && attr->cap.max_recv_wr <= (uint32_t)profile->max_qp_wr &&
                attr->cap.max_send_sge <= MAX_PIECES && attr->cap.max_inline_data <= profile->max_inline && attr->qp_type == 2;
    return fits ? 0 : EINVAL;
}

EXPORT int rdma_create_qp(struct rdma_cm_id *base, struct ibv_pd *pd, struct ibv_qp_init_attr *attr) {
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    struct domain *domain = domain_of(pd, __func__);
    int error = queue_pair_refusal(id, domain, attr);
    if (!error) {
        int fewer = fault("send-depth"); // of the plan: how many are given
        if (fewer)
            attr->cap.max_send_wr = (uint32_t)fewer;
        struct queue_pair *qp = calloc(1, sizeof *qp);
        make_queue_pair(qp, id->context, domain, attr);
        qp->id = id;
        id->qp = qp;
        base->qp = &qp->base;
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return error ? -1 : 0;
}

EXPORT void rdma_destroy_qp(struct rdma_cm_id *base) {
    __atomic_store_n(&((struct cm_id *)base)->is_ending, true, __ATOMIC_SEQ_CST);
    fault(__func__); // may take long, and cannot fail
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    if (!id->qp)
        RULE("use-after-destroy", "%s of an id that has no queue pair", __func__);
    context_of(id->qp->base.context, __func__);
    end_queue_pair(id->qp);
    id->qp = NULL;
    base->qp = NULL;
    __atomic_store_n(&id->is_ending, false, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&lock);
}

static void set_path(struct cm_id *id) {
    if (!id->qp)
        return;
    id->qp->retry = id->retry;
    id->qp->rnr_retry = id->rnr_retry;
    id->qp->ack_timeout = id->ack_timeout;
    id->qp->traffic_class = id->traffic_class;
}

// Connecting

static int connect_to(struct in_addr address, uint16_t port) {
    struct sockaddr_un name;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connect(fd, (struct sockaddr *)&name, port_name(&name, address, port)) == 0)
        return fd;
    close(fd);
    return -1;
}

EXPORT int rdma_connect(struct rdma_cm_id *base, struct rdma_conn_param *parameters) {
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    int error = id->state != RESOLVED || !id->qp || parameters->private_data_len > REQUEST_DATA ? EINVAL : 0;
    int fd = -1;
    if (!error && device_at(base->dst.sin_addr)) {
        fd = connect_to(base->dst.sin_addr, base->dst.sin_port);
        if (fd < 0)
            fd = connect_to((struct in_addr){INADDR_ANY}, base->dst.sin_port);
    }
    if (!error && fd < 0) {
        tell(id, RDMA_CM_EVENT_REJECTED, is_iwarp() ? -ECONNREFUSED : INVALID_SERVICE_ID, NULL, "", 0, REJECT_DATA);
    } else if (!error) {
        struct {
            struct sockaddr_in source, destination;
            uint8_t data[REQUEST_DATA];
        } body = {.source = base->src, .destination = base->dst};
        memcpy(body.data, parameters->private_data, parameters->private_data_len);
        struct message request = {
            .type = REQUEST, .length = (uint32_t)(offsetof(__typeof__(body), data) + parameters->private_data_len),
            .retry = id->retry = parameters->retry_count, .rnr_retry = parameters->rnr_retry_count, .traffic_class = id->traffic_class};
        id->rnr_retry = parameters->rnr_retry_count;
        id->state = CONNECTING;
        id->wire = open_wire(fd, id);
        put_message(id->wire, &request, &body);
        pump(id->wire);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return error ? -1 : 0;
}

// A peer has connected to the socket: what it asks for follows.
void on_request(struct cm_id *listener, int fd) {
    int accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0)
        return;
    if (listener->is_stale) {
        close(accepted);
        return;
    }
    struct cm_id *id = new_id(listener->channel);
    id->is_passive = true;
    id->base.context = listener; // until the request is there
    id->wire = open_wire(accepted, id);
}

static void on_connect_request(struct cm_id *id, const struct message *message, const uint8_t *data) {
    struct cm_id *listener = id->base.context;
    struct device *device;
    memcpy(&id->base.dst, data, sizeof id->base.dst);
    memcpy(&id->base.src, data + sizeof id->base.dst, sizeof id->base.src);
    device = device_at(id->base.src.sin_addr);
    id->base.context = NULL;
    if (!listener->is_open || !device) {
        end_id(id);
        return;
    }
    bind_to_device(id, device);
    id->retry = message->retry;
    id->rnr_retry = message->rnr_retry;
    id->traffic_class = message->traffic_class;
    id->state = REQUESTED;
    tell(id, RDMA_CM_EVENT_CONNECT_REQUEST, 0, listener, data + 2 * sizeof id->base.dst, (int)(message->length - 2 * sizeof id->base.dst), REQUEST_DATA);
}

EXPORT int rdma_accept(struct rdma_cm_id *base, struct rdma_conn_param *parameters) {
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    int error = id->state != REQUESTED || !id->qp || !id->wire || parameters->private_data_len > ACCEPT_DATA ? EINVAL : is_gone(id->context) ? ENODEV : 0;
    if (!error) {
        struct message accept = {.type = ACCEPT, .length = parameters->private_data_len, .rnr_retry = parameters->rnr_retry_count};
        set_path(id);
        id->qp->base.state = IBV_QPS_RTS;
        id->state = ACCEPTED;
        put_message(id->wire, &accept, parameters->private_data);
        pump(id->wire);
        if (is_iwarp()) {
            id->state = CONNECTED;
            tell(id, RDMA_CM_EVENT_ESTABLISHED, 0, NULL, NULL, 0, 0);
        }
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return error ? -1 : 0;
}

EXPORT int rdma_reject(struct rdma_cm_id *base, const void *data, uint8_t length) {
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    int error = id->state != REQUESTED || length > REJECT_DATA ? EINVAL : 0;
    if (!error) {
        struct message no = {.type = REJECT, .length = length, .status = CONSUMER_DEFINED};
        put_message(id->wire, &no, data);
        pump(id->wire);
        id->state = OVER;
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return error ? -1 : 0;
}

EXPORT int rdma_disconnect(struct rdma_cm_id *base) {
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    bool is_connected = (id->state == CONNECTED || id->state == ACCEPTED) && !id->has_left && !id->is_disconnected;
    if (is_connected) {
        say_goodbye(id);
        pump(id->wire);
    }
    if (id->qp)
        fail_queue_pair(id->qp);
    pthread_mutex_unlock(&lock);
    errno = is_connected ? 0 : EINVAL;
    return is_connected ? 0 : -1;
}

// rdma_notify(3): the first data has come before the last message of the handshake.
EXPORT int rdma_notify(struct rdma_cm_id *base, int event) {
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    bool is_due = event == IBV_EVENT_COMM_EST && id->state == ACCEPTED;
    if (is_due) {
        id->state = CONNECTED;
        tell(id, RDMA_CM_EVENT_ESTABLISHED, 0, NULL, NULL, 0, 0);
    }
    pthread_mutex_unlock(&lock);
    errno = is_due ? 0 : EINVAL;
    return is_due ? 0 : -1;
}

void on_data_before_ready(struct cm_id *id) {
    if (id->state == ACCEPTED && !id->is_told) {
        id->is_told = true;
        raise_event(id->context, IBV_EVENT_COMM_EST, &id->qp->base, 0);
    }
}

void on_message(struct wire *wire, const struct message *message, const uint8_t *data) {
    struct cm_id *id = wire->id;
    if (wire->is_dark)
        return;
    switch (message->type) {
    case REQUEST:
        on_connect_request(id, message, data);
        break;
    case ACCEPT:
        id->rnr_retry = message->rnr_retry;
        set_path(id);
        id->state = CONNECTED;
        tell(id, RDMA_CM_EVENT_ESTABLISHED, 0, NULL, data, (int)message->length, ACCEPT_DATA);
        break;
    case REJECT:
        id->state = OVER;
        tell(id, RDMA_CM_EVENT_REJECTED, is_iwarp() ? -ECONNRESET : message->status, NULL, data, (int)message->length, REJECT_DATA);
        break;
    case READY:
        if (id->state == ACCEPTED) {
            id->state = CONNECTED;
            tell(id, RDMA_CM_EVENT_ESTABLISHED, 0, NULL, NULL, 0, 0);
        }
        break;
    case DONE:
        if (!id->qp)
            break;
        if (!profile->completes_early)
            finish_requests(id->qp, message->operand, IBV_WC_SUCCESS);
        if (message->status && !profile->completes_early)
            finish_requests(id->qp, message->operand + 1, message->status);
        else if (message->status)
            fail_queue_pair(id->qp);
        break;
    case BYE:
        wire->gone_ns = -1;
        if (!id->is_disconnected && !id->has_left && id->state != OVER) {
            id->is_disconnected = true;
            if (is_iwarp() && id->qp)
                fail_queue_pair(id->qp);
            tell(id, RDMA_CM_EVENT_DISCONNECTED, 0, NULL, NULL, 0, 0);
        }
        break;
    case DARK:
        wire->gone_ns = -1;
        wire->is_quiet = true;
        break;
    default:
        RULE("device", "a message of the type %u", message->type);
    }
}

// The socket has closed: the peer's process died, or it has said why before.
void on_end_of_wire(struct wire *wire) {
    struct cm_id *id = wire->id;
    wire->gone_ns = -1;
    if (wire->is_quiet || wire->is_dark || id->has_left || id->is_disconnected || id->state == OVER)
        return;
    if (id->is_passive && id->state == IDLE) {
        end_id(id);
    } else if (id->state == CONNECTING) {
        id->state = OVER;
        tell(id, RDMA_CM_EVENT_REJECTED, is_iwarp() ? -ECONNREFUSED : INVALID_SERVICE_ID, NULL, "", 0, REJECT_DATA);
    } else if (id->state == CONNECTED || id->state == ACCEPTED) {
        id->is_disconnected = true;
        if (is_iwarp() && id->qp)
            fail_queue_pair(id->qp);
        tell(id, RDMA_CM_EVENT_DISCONNECTED, 0, NULL, NULL, 0, 0);
    }
}
