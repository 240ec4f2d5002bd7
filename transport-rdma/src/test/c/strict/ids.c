// SPDX-License-Identifier: Apache-2.0
//
// Ids of the connection manager and their addresses. A port is an abstract Unix socket: it is one process's, and it is
// free when that process dies.

#define _GNU_SOURCE
#include "strict.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct cm_id *ids;
static uint16_t next_port = 20000;

struct cm_id *id_of(struct rdma_cm_id *base, const char *call) {
    struct cm_id *id = (struct cm_id *)base;
    if (!id->is_open)
        RULE("use-after-destroy", "%s of an id that was destroyed", call);
    return id;
}

struct cm_id *new_id(struct channel *channel) {
    struct cm_id *id = calloc(1, sizeof *id);
    id->is_open = true;
    id->listener = -1;
    id->channel = channel;
    id->base.channel = &channel->base;
    id->base.ps = RDMA_PS_TCP;
    id->next = ids;
    ids = id;
    channel->ids++;
    count(IDS, 1);
    return id;
}

// What is left of it is never used again.
void end_id(struct cm_id *id) {
    id->is_open = false;
    id->channel->ids--;
    count(IDS, (uint64_t)-1);
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
}

void bind_to_device(struct cm_id *id, struct device *device) {
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

void say_goodbye(struct cm_id *id) {
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

// rdma_destroy_id(3): the queue pair must be destroyed before. The call waits until all events are acknowledged, as another
// thread does at once that has read one; where nobody does, it would wait for ever.
static void await_acknowledgements(struct cm_id *id) {
    for (int waits = 0; id->unacknowledged; waits++) {
        if (waits == 10000)
            RULE("unacknowledged-event", "an id is destroyed of which %d events are not acknowledged", id->unacknowledged);
        pthread_mutex_unlock(&lock);
        usleep(100);
        pthread_mutex_lock(&lock);
    }
}

EXPORT int rdma_destroy_id(struct rdma_cm_id *base) {
    FAULT(-1);
    pthread_mutex_lock(&lock);
    struct cm_id *id = id_of(base, __func__);
    if (id->qp)
        RULE("id-with-queue-pair", "an id is destroyed before its queue pair");
    forget_events(id);
    await_acknowledgements(id);
    say_goodbye(id);
    forget_events(id);
    close_port(id);
    end_id(id);
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

// Length of the name.
socklen_t port_name(struct sockaddr_un *name, struct in_addr address, uint16_t port) {
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
    await_closed_ports(); // a device can be removed meanwhile
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
