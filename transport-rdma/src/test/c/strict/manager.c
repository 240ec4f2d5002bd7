// SPDX-License-Identifier: Apache-2.0
//
// The connection manager. A port is an abstract Unix socket: it is one process's, and it is free when that process dies.

#define _GNU_SOURCE
#include "strict.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Private data as events give it: padded to what the fabric's packets hold (IBA 12.6; iWARP pads nothing).
enum { REQUEST_DATA = 56, REJECT_DATA = 148, ACCEPT_DATA = 196, MOST_DATA = 256 };
// Reject reasons of IBA 12.6.7.2.
enum { INVALID_SERVICE_ID = 8, CONSUMER_DEFINED = 28 };

struct event {
    struct rdma_cm_event base;
    struct cm_id *id;
    uint8_t data[MOST_DATA];
    struct event *next;
};

struct channel {
    struct rdma_event_channel base;
    bool is_open;
    int ids;
    struct event *first, **last;
};

struct cm_id *ids;
static uint16_t next_port = 20000;

// Events

EXPORT struct rdma_event_channel *rdma_create_event_channel(void) {
    start();
    FAULT(NULL);
    struct channel *channel = calloc(1, sizeof *channel);
    channel->base.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    channel->last = &channel->first;
    channel->is_open = true;
    return &channel->base;
}

// rdma_destroy_event_channel(3): all ids of the channel must be destroyed before.
EXPORT void rdma_destroy_event_channel(struct rdma_event_channel *base) {
    struct channel *channel = (struct channel *)base;
    pthread_mutex_lock(&lock);
    if (!channel->is_open)
        RULE("use-after-destroy", "%s of a channel that was destroyed", __func__);
    if (channel->ids)
        RULE("channel-with-ids", "an event channel is destroyed that %d ids use", channel->ids);
    channel->is_open = false;
    close(base->fd);
    pthread_mutex_unlock(&lock);
}

void tell(struct cm_id *id, int type, int status, struct cm_id *listener, const void *data, int length, int padded) {
    if (!id->is_open)
        return;
    struct event *event = calloc(1, sizeof *event);
    event->base = (struct rdma_cm_event){.id = &id->base, .listen_id = listener ? &listener->base : NULL, .event = type, .status = status};
    event->id = id;
    if (padded) {
        memcpy(event->data, data, (size_t)length);
        event->base.conn.private_data = event->data;
        event->base.conn.private_data_len = (uint8_t)(is_iwarp() ? length : padded);
    }
    struct channel *channel = listener ? listener->channel : id->channel;
    *channel->last = event;
    channel->last = &event->next;
    uint64_t one = 1;
    if (write(channel->base.fd, &one, sizeof one) < 0)
        perror("strict device");
}

static void send_ready(struct cm_id *id) {
    struct message ready = {.type = READY};
    if (id->qp && id->qp->is_open && id->qp->base.state == IBV_QPS_INIT)
        id->qp->base.state = IBV_QPS_RTS;
    if (id->wire && fault("ready") != DROP) {
        put_message(id->wire, &ready, NULL);
        pump(id->wire);
    }
}

EXPORT int rdma_get_cm_event(struct rdma_event_channel *base, struct rdma_cm_event **result) {
    FAULT(-1);
    struct channel *channel = (struct channel *)base;
    struct event *event = NULL;
    while (!event) {
        uint64_t one;
        if (read(base->fd, &one, sizeof one) < 0)
            return -1;
        pthread_mutex_lock(&lock);
        event = channel->first;
        if (event) {
            channel->first = event->next;
            if (!channel->first)
                channel->last = &channel->first;
            event->id->unacknowledged++;
            // librdmacm brings the queue pair up when it hands the answer over (cma.c, ucma_process_conn_resp).
            if (event->base.event == RDMA_CM_EVENT_ESTABLISHED && !event->id->is_passive)
                send_ready(event->id);
        }
        pthread_mutex_unlock(&lock);
    }
    *result = &event->base;
    return 0;
}

EXPORT int rdma_ack_cm_event(struct rdma_cm_event *base) {
    struct event *event = (struct event *)base;
    pthread_mutex_lock(&lock);
    event->id->unacknowledged--;
    pthread_mutex_unlock(&lock);
    free(event);
    return 0;
}

// Ids

static struct cm_id *id_of(struct rdma_cm_id *base, const char *call) {
    struct cm_id *id = (struct cm_id *)base;
    if (!id->is_open)
        RULE("use-after-destroy", "%s of an id that was destroyed", call);
    return id;
}

static struct cm_id *new_id(struct channel *channel) {
    struct cm_id *id = calloc(1, sizeof *id);
    id->is_open = true;
    id->listener = -1;
    id->channel = channel;
    id->base.channel = &channel->base;
    id->base.ps = RDMA_PS_TCP;
    id->next = ids;
    ids = id;
    channel->ids++;
    return id;
}

static void bind_to_device(struct cm_id *id, struct device *device) {
    id->device = device;
    id->cm = use_device(device);
    id->context = id->cm->context;
    id->base.verbs = &id->context->base;
    id->base.port_num = 1;
}

EXPORT int rdma_create_id(struct rdma_event_channel *base, struct rdma_cm_id **result, void *context, int port_space) {
    FAULT(-1);
    if (port_space != RDMA_PS_TCP)
        RULE("port-space", "rdma_create_id in the port space 0x%x", port_space);
    pthread_mutex_lock(&lock);
    struct cm_id *id = new_id((struct channel *)base);
    id->base.context = context;
    *result = &id->base;
    pthread_mutex_unlock(&lock);
    return 0;
}

// The service thread may be waiting at the socket, and holds the name until it comes back.
static uint64_t closed_in_round = UINT64_MAX;

void close_port(struct cm_id *id) {
    if (id->listener >= 0) {
        close(id->listener);
        id->listener = -1;
        closed_in_round = rounds;
        wake_service();
    }
}

static void await_closed_ports(void) {
    while (closed_in_round == rounds) {
        pthread_mutex_unlock(&lock);
        usleep(100);
        pthread_mutex_lock(&lock);
    }
}

static void forget_events(struct cm_id *id) {
    struct channel *channel = id->channel;
    for (struct event **link = &channel->first; *link;) {
        struct event *event = *link;
        if (event->id == id || event->base.listen_id == &id->base) {
            if (event->id != id) { // a request that nobody will answer
                struct cm_id *asked = event->id;
                asked->is_open = false;
                asked->channel->ids--;
                if (asked->wire)
                    leave_wire(asked->wire);
                asked->wire = NULL;
                if (asked->cm)
                    leave_device(asked->cm);
            }
            *link = event->next;
            free(event);
        } else {
            link = &event->next;
        }
    }
    channel->last = &channel->first;
    while (*channel->last)
        channel->last = &(*channel->last)->next;
}

static void say_goodbye(struct cm_id *id) {
    if (!id->wire)
        return;
    if (id->state == REQUESTED) {
        struct message no = {.type = REJECT, .status = CONSUMER_DEFINED};
        put_message(id->wire, &no, NULL);
    } else if ((id->state == CONNECTED || id->state == ACCEPTED || id->state == CONNECTING) && !id->has_left) {
        struct message bye = {.type = BYE};
        put_message(id->wire, &bye, NULL);
    }
    id->has_left = true;
}

// rdma_destroy_id(3): the queue pair must be destroyed and all events acknowledged before: the call would wait.
EXPORT int rdma_destroy_id(struct rdma_cm_id *base) {
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    if (id->qp)
        RULE("id-with-queue-pair", "an id is destroyed before its queue pair");
    if (id->unacknowledged)
        RULE("unacknowledged-event", "an id is destroyed of which %d events are not acknowledged", id->unacknowledged);
    say_goodbye(id);
    id->is_open = false;
    id->channel->ids--;
    forget_events(id);
    close_port(id);
    if (id->wire)
        leave_wire(id->wire);
    id->wire = NULL;
    if (id->cm)
        leave_device(id->cm);
    id->cm = NULL;
    for (struct cm_id **link = &ids; *link; link = &(*link)->next)
        if (*link == id) {
            *link = id->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    return 0;
}

EXPORT int rdma_set_option(struct rdma_cm_id *base, int level, int option, void *value, size_t length) {
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    int error = level != 0 || length != 1 ? EINVAL : 0;
    if (!error && option == RDMA_OPTION_ID_TOS)
        id->traffic_class = *(uint8_t *)value;
    else if (!error && option == RDMA_OPTION_ID_ACK_TIMEOUT)
        id->ack_timeout = *(uint8_t *)value;
    else
        error = ENOSYS;
    pthread_mutex_unlock(&lock);
    errno = error;
    return error ? -1 : 0;
}

// Addresses

static socklen_t port_name(struct sockaddr_un *name, struct in_addr address, uint16_t port) {
    const char *scope = getenv("STRICT_DEVICE_SCOPE");
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &address, text, sizeof text);
    memset(name, 0, sizeof *name);
    name->sun_family = AF_UNIX;
    int length = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "verbus-strict:%s:%s:%u", scope ? scope : "", text, ntohs(port));
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int take_port(struct cm_id *id, struct sockaddr_in *address) {
    struct sockaddr_un name;
    bool is_any = address->sin_port == 0;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    await_closed_ports();
    for (int tries = 0; tries < 20000; tries++) {
        if (is_any)
            address->sin_port = htons(next_port = next_port == 60000 ? 20000 : (uint16_t)(next_port + 1));
        if (bind(fd, (struct sockaddr *)&name, port_name(&name, address->sin_addr, address->sin_port)) == 0) {
            id->listener = fd;
            return 0;
        }
        if (!is_any)
            break;
    }
    close(fd);
    return EADDRINUSE;
}

EXPORT int rdma_bind_addr(struct rdma_cm_id *base, struct sockaddr *given) {
    FAULT(-1);
    struct sockaddr_in address = *(struct sockaddr_in *)given;
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    bool is_wildcard = address.sin_addr.s_addr == INADDR_ANY;
    struct device *device = is_wildcard ? NULL : device_at(address.sin_addr);
    int error = address.sin_family != AF_INET ? EAFNOSUPPORT : !is_wildcard && !device ? ENODEV : take_port(id, &address);
    if (!error) {
        id->base.src = address;
        id->state = BOUND;
        if (device)
            bind_to_device(id, device);
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return error ? -1 : 0;
}

EXPORT int rdma_listen(struct rdma_cm_id *base, int backlog) {
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    int error = id->state != BOUND || id->listener < 0 ? EINVAL : listen(id->listener, backlog) ? errno : 0;
    if (!error)
        id->state = LISTENING;
    wake_service();
    pthread_mutex_unlock(&lock);
    errno = error;
    return error ? -1 : 0;
}

EXPORT int rdma_resolve_addr(struct rdma_cm_id *base, struct sockaddr *source, struct sockaddr *destination, int timeout_ms) {
    (void)timeout_ms;
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    id->base.dst = *(struct sockaddr_in *)destination;
    id->base.src = source ? *(struct sockaddr_in *)source : (struct sockaddr_in){.sin_family = AF_INET};
    if (id->base.src.sin_addr.s_addr == INADDR_ANY)
        id->base.src.sin_addr = id->base.dst.sin_addr; // the route to a host's own address
    if (!id->base.src.sin_port)
        id->base.src.sin_port = htons(next_port = next_port == 60000 ? 20000 : (uint16_t)(next_port + 1));
    struct device *device = device_at(id->base.src.sin_addr);
    int error = fault("resolve-address");
    if (error || !device || !is_of_a_device(id->base.dst.sin_addr)) {
        tell(id, RDMA_CM_EVENT_ADDR_ERROR, error ? -error : -ENODEV, NULL, NULL, 0, 0);
    } else {
        bind_to_device(id, device);
        tell(id, RDMA_CM_EVENT_ADDR_RESOLVED, 0, NULL, NULL, 0, 0);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

EXPORT int rdma_resolve_route(struct rdma_cm_id *base, int timeout_ms) {
    (void)timeout_ms;
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    id->state = RESOLVED;
    tell(id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0, NULL, NULL, 0, 0);
    pthread_mutex_unlock(&lock);
    return 0;
}

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
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    if (!id->qp)
        RULE("use-after-destroy", "%s of an id that has no queue pair", __func__);
    context_of(id->qp->base.context, __func__);
    end_queue_pair(id->qp);
    id->qp = NULL;
    base->qp = NULL;
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

static void drop(struct cm_id *id) {
    id->is_open = false;
    id->channel->ids--;
    leave_wire(id->wire);
    id->wire = NULL;
}

static void on_connect_request(struct cm_id *id, const struct message *message, const uint8_t *data) {
    struct cm_id *listener = id->base.context;
    struct device *device;
    memcpy(&id->base.dst, data, sizeof id->base.dst);
    memcpy(&id->base.src, data + sizeof id->base.dst, sizeof id->base.src);
    device = device_at(id->base.src.sin_addr);
    id->base.context = NULL;
    if (!listener->is_open || !device) {
        drop(id);
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
        drop(id);
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
