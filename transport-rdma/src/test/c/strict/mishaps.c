// SPDX-License-Identifier: Apache-2.0
//
// What happens to a single connection when a test says so. Connections are counted from the newest of a device, and round.

#include "strict.h"

static bool is_connected(const struct cm_id *id, const struct device *device) {
    return id->is_open && id->device == device && id->state == CONNECTED && id->wire && !id->wire->is_dark && id->qp && id->qp->is_open &&
           id->qp->base.state == IBV_QPS_RTS && !is_gone(id->context);
}

static struct cm_id *connected(int number, int which) {
    int found = 0;
    struct device *device = number >= 0 && number < device_count ? &devices[number] : NULL;
    for (struct cm_id *id = ids; id; id = id->next)
        found += is_connected(id, device);
    which = found ? which % found : 0;
    for (struct cm_id *id = ids; id; id = id->next)
        if (is_connected(id, device) && which-- == 0)
            return id;
    return NULL;
}

// Whether a peer may write to memory of the domain.
bool has_connection(const struct domain *domain) {
    for (struct cm_id *id = ids; id; id = id->next)
        if (id->is_open && id->qp && id->qp->is_open && id->qp->domain == domain && id->qp->base.state == IBV_QPS_RTS && id->wire && !id->wire->is_dark)
            return true;
    return false;
}

// Its oldest request is answered no more, and all others are flushed.
EXPORT int strict_fail(int device, int which) {
    pthread_mutex_lock(&lock);
    struct cm_id *id = connected(device, which);
    if (id && id->qp->done < id->qp->posted)
        finish_requests(id->qp, id->qp->done + 1, is_iwarp() ? IBV_WC_WR_FLUSH_ERR : IBV_WC_RETRY_EXC_ERR);
    else if (id)
        fail_queue_pair(id->qp);
    pthread_mutex_unlock(&lock);
    return id ? 0 : ENOENT;
}

// Neither side hears anything of the other any more, nor is told so.
EXPORT int strict_cut(int device, int which) {
    pthread_mutex_lock(&lock);
    struct cm_id *id = connected(device, which);
    if (id) {
        cut_wire(id->wire);
        id->wire->is_quiet = true;
        id->wire->gone_ns = -1;
    }
    pthread_mutex_unlock(&lock);
    return id ? 0 : ENOENT;
}

// The peer is told that this side has left, which does not know.
EXPORT int strict_hang_up(int device, int which) {
    struct message bye = {.type = BYE};
    pthread_mutex_lock(&lock);
    struct cm_id *id = connected(device, which);
    if (id) {
        put_message(id->wire, &bye, NULL);
        pump(id->wire);
    }
    pthread_mutex_unlock(&lock);
    return id ? 0 : ENOENT;
}
