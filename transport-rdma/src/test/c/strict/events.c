// SPDX-License-Identifier: Apache-2.0
//
// Event channels of the connection manager.

#define _GNU_SOURCE
#include "strict.h"

#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { MOST_DATA = 256 };

struct event {
    struct rdma_cm_event base;
    struct cm_id *id;
    uint8_t data[MOST_DATA];
    struct event *next;
};

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
            // event-while-destroyed: librdmacm (cma.c, rdma_get_cm_event) changes the state of the queue pair of an
            // event's id, and takes no lock: it faults when another thread destroys that queue pair meanwhile.
            if (__atomic_load_n(&event->id->is_ending, __ATOMIC_SEQ_CST))
                RULE("event-while-destroyed", "%s of an id whose queue pair is being destroyed", __func__);
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

// Those of an id that is destroyed; requests that came to it end unanswered.
void forget_events(struct cm_id *id) {
    struct channel *channel = id->channel;
    for (struct event **link = &channel->first; *link;) {
        struct event *event = *link;
        if (event->id == id || event->base.listen_id == &id->base) {
            if (event->id != id) // a request that nobody will answer
                end_id(event->id);
            *link = event->next;
            free(event);
        } else {
            link = &event->next;
        }
    }
    for (struct event **link = &channel->first; *link;) {
        struct event *event = *link;
        if (event->id->is_open) {
            link = &event->next;
        } else { // another of that request
            *link = event->next;
            free(event);
        }
    }
    channel->last = &channel->first;
    while (*channel->last)
        channel->last = &(*channel->last)->next;
}
