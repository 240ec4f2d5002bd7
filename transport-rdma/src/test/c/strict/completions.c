// SPDX-License-Identifier: Apache-2.0
//
// Completion queues.

#include "strict.h"

EXPORT struct ibv_cq *ibv_create_cq(struct ibv_context *base, int entries, void *cq_context, void *channel, int vector) {
    FAULT(NULL);
    pthread_mutex_lock(&lock);
    struct context *context = context_of(base, __func__);
    struct completion_queue *queue = NULL;
    if (is_gone(context)) {
        errno = EIO;
    } else if (entries < 1 || entries > profile->max_cqe || vector != 0) {
        errno = EINVAL;
    } else {
        queue = calloc(1, sizeof *queue);
        queue->base.context = base;
        queue->base.cq_context = cq_context;
        queue->base.channel = channel;
        queue->base.cqe = entries;
        queue->context = context;
        queue->is_open = true;
        queue->entries = calloc((size_t)entries, sizeof *queue->entries);
        count(COMPLETION_QUEUES, 1);
    }
    pthread_mutex_unlock(&lock);
    return queue ? &queue->base : NULL;
}

struct completion_queue *completion_queue_of(struct ibv_cq *base, const char *call) {
    struct completion_queue *queue = (struct completion_queue *)base;
    if (!queue->is_open)
        RULE("use-after-destroy", "%s of a completion queue that was destroyed", call);
    return queue;
}

// ibv_destroy_cq(3): fails while a queue pair uses it.
EXPORT int ibv_destroy_cq(struct ibv_cq *base) {
    FAULT_CODE();
    pthread_mutex_lock(&lock);
    struct completion_queue *queue = completion_queue_of(base, __func__);
    context_of(base->context, __func__);
    int error = destroyed(queue->context);
    if (!error && queue->users)
        error = EBUSY;
    if (!error) {
        queue->is_open = false;
        free(queue->entries);
        queue->entries = NULL;
    }
    if (error != EBUSY)
        count_end(COMPLETION_QUEUES, &queue->is_uncounted);
    pthread_mutex_unlock(&lock);
    return error;
}

// completion-queue-overrun: ibv_create_cq(3) and IBA 11.6.3.1: an overrun makes the queue unusable.
void complete(struct completion_queue *queue, const struct completion *completion) {
    uint32_t capacity = (uint32_t)queue->base.cqe;
    if (queue->count == capacity)
        RULE("completion-queue-overrun", "more than %u completions", capacity);
    int delay_ms = 0;
    if (completion->sender && fault_and_delay("completion", &delay_ms) == DROP)
        return;
    struct completion *entry = &queue->entries[(queue->head + queue->count) % capacity];
    *entry = *completion;
    entry->due_ns = delay_ms ? now_ns() + delay_ms * 1000000ll : 0;
    __atomic_store_n(&queue->count, queue->count + 1, __ATOMIC_RELEASE);
}

// A slot of a send queue is free when a completion at or behind it has been polled, not before: that is how
// libraries move the tail of their rings (rdma-core, providers/mlx5/cq.c).
int poll_cq(struct ibv_cq *base, int entries, struct ibv_wc *wc) {
    struct completion_queue *queue = completion_queue_of(base, "ibv_poll_cq");
    if (__atomic_load_n(&queue->count, __ATOMIC_ACQUIRE) == 0)
        return 0;
    pthread_mutex_lock(&lock);
    int taken = 0;
    while (taken < entries && queue->count) {
        struct completion *next = &queue->entries[queue->head];
        if (next->due_ns && now_ns() < next->due_ns)
            break;
        wc[taken++] = next->wc;
        if (next->sender && next->sender->is_open)
            free_requests(next->sender, next->number, next->wc.status);
        queue->head = (queue->head + 1) % (uint32_t)queue->base.cqe;
        __atomic_store_n(&queue->count, queue->count - 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

EXPORT const char *ibv_wc_status_str(int status) {
    switch (status) {
    case IBV_WC_SUCCESS: return "success";
    case IBV_WC_LOC_LEN_ERR: return "local length error";
    case IBV_WC_LOC_PROT_ERR: return "local protection error";
    case IBV_WC_WR_FLUSH_ERR: return "Work Request Flushed Error";
    case IBV_WC_REM_INV_REQ_ERR: return "remote invalid request error";
    case IBV_WC_REM_ACCESS_ERR: return "remote access error";
    case IBV_WC_RETRY_EXC_ERR: return "transport retry counter exceeded";
    case IBV_WC_RNR_RETRY_EXC_ERR: return "RNR retry counter exceeded";
    default: return "unknown";
    }
}
