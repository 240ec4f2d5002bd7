// SPDX-License-Identifier: Apache-2.0
//
// Devices, contexts and the events that devices tell of themselves. Each device has one address: those
// of STRICT_DEVICE_ADDRESSES, the same in all processes.

#define _GNU_SOURCE
#include "strict.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define CONTEXT_PAGES 4096

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct device devices[MAX_DEVICES];
int device_count;
static struct context *contexts;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start_once(void) {
    choose_profile(getenv("STRICT_DEVICE"));
    load_plan();
    const char *given = getenv("STRICT_DEVICE_ADDRESSES");
    char copy[256], *rest = copy, *word;
    snprintf(copy, sizeof copy, "%s", given && *given ? given : "127.7.0.1,127.7.0.2");
    while ((word = strsep(&rest, ",")) && device_count < MAX_DEVICES) {
        struct device *device = &devices[device_count];
        snprintf(device->base.name, sizeof device->base.name, "strict%d", device_count);
        snprintf(device->base.dev_name, sizeof device->base.dev_name, "uverbs%d", device_count);
        device->is_there = true;
        if (inet_pton(AF_INET, word, &device->address) != 1) {
            fprintf(stderr, "strict device: '%s' of STRICT_DEVICE_ADDRESSES is no IPv4 address\n", word);
            exit(2);
        }
        device_count++;
    }
    start_service();
}

void start(void) {
    pthread_once(&once, start_once);
}

EXPORT struct ibv_device **ibv_get_device_list(int *number) {
    start();
    FAULT(NULL);
    pthread_mutex_lock(&lock);
    struct ibv_device **list = calloc(MAX_DEVICES + 1, sizeof *list);
    int found = 0;
    for (int i = 0; i < device_count; i++)
        if (devices[i].is_there)
            list[found++] = &devices[i].base;
    pthread_mutex_unlock(&lock);
    if (number)
        *number = found;
    return list;
}

EXPORT void ibv_free_device_list(struct ibv_device **list) {
    free(list);
}

struct context *open_context(struct device *device) {
    struct context *context =
        mmap(NULL, CONTEXT_PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int ends[2];
    if (context == MAP_FAILED || pipe2(ends, O_CLOEXEC)) {
        perror("strict device");
        exit(2);
    }
    context->base.device = &device->base;
    context->base.ops[OP_POLL_CQ] = (void *)poll_cq;
    context->base.ops[OP_POST_SEND] = (void *)post_send;
    context->base.ops[OP_POST_RECV] = (void *)post_recv;
    context->base.cmd_fd = -1;
    context->base.async_fd = ends[0];
    context->base.num_comp_vectors = 1;
    context->event_writer = ends[1];
    context->device = device;
    context->incarnation = device->incarnation;
    context->is_open = true;
    context->next = contexts;
    contexts = context;
    return context;
}

// The address is never mapped again: what reads the context later dies at once.
void close_context(struct context *context) {
    struct context **link = &contexts;
    while (*link != context)
        link = &(*link)->next;
    *link = context->next;
    close(context->base.async_fd);
    close(context->event_writer);
    mprotect(context, CONTEXT_PAGES, PROT_NONE);
}

// use-after-close: ibv_close_device(3) releases everything of a context; librdmacm closes that of a removed
// device as soon as no id uses it (librdmacm/cma.c, remove_cma_dev).
struct context *context_of(struct ibv_context *wanted, const char *call) {
    for (struct context *context = contexts; context; context = context->next)
        if (&context->base == wanted)
            return context;
    RULE("use-after-close", "%s in the context %p, which is closed", call, (void *)wanted);
}

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *base) {
    FAULT(NULL);
    pthread_mutex_lock(&lock);
    struct device *device = (struct device *)base;
    struct context *context = device->is_there ? open_context(device) : NULL;
    pthread_mutex_unlock(&lock);
    if (!context)
        errno = ENODEV;
    return context ? &context->base : NULL;
}

EXPORT int ibv_close_device(struct ibv_context *base) {
    pthread_mutex_lock(&lock);
    close_context(context_of(base, __func__));
    pthread_mutex_unlock(&lock);
    return 0;
}

bool is_gone(struct context *context) {
    return context->incarnation != context->device->incarnation || !context->device->is_there;
}

// The kernel has destroyed the objects of a removed device; what is left is the library's own memory, and the
// call gives EIO unless RDMAV_ALLOW_DISASSOC_DESTROY is set (libibverbs/cmd_fallback.c, verbs_allow_disassociate_destroy).
int destroyed(struct context *context) {
    return is_gone(context) && !getenv("RDMAV_ALLOW_DISASSOC_DESTROY") ? EIO : 0;
}

EXPORT int ibv_query_device(struct ibv_context *base, struct ibv_device_attr *attributes) {
    FAULT_CODE();
    pthread_mutex_lock(&lock);
    context_of(base, __func__);
    pthread_mutex_unlock(&lock);
    memset(attributes, 0, sizeof *attributes);
    strcpy(attributes->fw_ver, "1.0.0");
    attributes->vendor_id = profile->vendor_id;
    attributes->max_mr_size = UINT64_MAX;
    attributes->max_qp = 4096;
    attributes->max_qp_wr = profile->max_qp_wr;
    attributes->max_sge = MAX_PIECES;
    attributes->max_cqe = profile->max_cqe;
    attributes->max_mr = profile->max_mr;
    attributes->atomic_cap = profile->atomics ? IBV_ATOMIC_HCA : IBV_ATOMIC_NONE;
    attributes->phys_port_cnt = 1;
    return 0;
}

EXPORT int ibv_query_port(struct ibv_context *base, uint8_t port, struct ibv_port_attr *attributes) {
    FAULT_CODE();
    pthread_mutex_lock(&lock);
    context_of(base, __func__);
    pthread_mutex_unlock(&lock);
    if (port != 1)
        return EINVAL;
    memset(attributes, 0, sizeof *attributes);
    attributes->state = IBV_PORT_ACTIVE;
    attributes->max_mtu = attributes->active_mtu = IBV_MTU_4096;
    attributes->max_msg_sz = profile->max_message;
    attributes->link_layer = (uint8_t)profile->link_layer;
    return 0;
}

void raise_event(struct context *context, int type, void *element, int port) {
    struct ibv_async_event event = {.event_type = type};
    if (element)
        event.element = element;
    else
        *(int *)&event.element = port;
    if (write(context->event_writer, &event, sizeof event) != sizeof event)
        perror("strict device");
}

EXPORT int ibv_get_async_event(struct ibv_context *base, struct ibv_async_event *event) {
    pthread_mutex_lock(&lock);
    struct context *context = context_of(base, __func__);
    int result = read(context->base.async_fd, event, sizeof *event) == sizeof *event ? 0 : -1;
    if (result == 0)
        context->unacknowledged++;
    pthread_mutex_unlock(&lock);
    return result;
}

EXPORT void ibv_ack_async_event(struct ibv_async_event *event) {
    (void)event;
    pthread_mutex_lock(&lock);
    for (struct context *context = contexts; context; context = context->next)
        if (context->unacknowledged) {
            context->unacknowledged--;
            break;
        }
    pthread_mutex_unlock(&lock);
}

EXPORT const char *ibv_event_type_str(int type) {
    switch (type) {
    case IBV_EVENT_CQ_ERR: return "CQ error";
    case IBV_EVENT_QP_ACCESS_ERR: return "local access violation work queue error";
    case IBV_EVENT_COMM_EST: return "communication established";
    case IBV_EVENT_DEVICE_FATAL: return "local catastrophic error";
    case IBV_EVENT_PORT_ERR: return "port error";
    default: return "unknown";
    }
}

EXPORT int ibv_is_fork_initialized(void) {
    return 2; // the kernel copies pinned pages
}

// librdmacm's devices

struct device *device_at(struct in_addr address) {
    for (int i = 0; i < device_count; i++)
        if (devices[i].is_there && devices[i].address.s_addr == address.s_addr)
            return &devices[i];
    return NULL;
}

bool is_of_a_device(struct in_addr address) {
    for (int i = 0; i < device_count; i++)
        if (devices[i].address.s_addr == address.s_addr)
            return true;
    return false;
}

static void remove_cm_device(struct cm_device *device) {
    if (device->users) {
        device->is_dead = true;
        return;
    }
    close_context(device->context);
    free(device);
}

// Looks the device up as librdmacm does (cma.c, ucma_get_device and sync_devices_list): one that came
// back is new, and the list is compared with the kernel's.
struct cm_device *use_device(struct device *device) {
    if (device->cm && device->cm->context->incarnation != device->incarnation) {
        remove_cm_device(device->cm);
        device->cm = NULL;
    }
    if (!device->cm) {
        device->cm = calloc(1, sizeof *device->cm);
        device->cm->context = open_context(device);
    }
    device->cm->users++;
    return device->cm;
}

void leave_device(struct cm_device *device) {
    if (--device->users == 0 && device->is_dead)
        remove_cm_device(device);
}

// What a test does to devices

static struct device *numbered(int number) {
    return number >= 0 && number < device_count ? &devices[number] : NULL;
}

// As the kernel's driver removes one that is in use: no queue pair says goodbye.
EXPORT int strict_remove(int number) {
    struct device *device = numbered(number);
    if (!device)
        return ENODEV;
    pthread_mutex_lock(&lock);
    device->is_there = false;
    for (struct context *context = contexts; context; context = context->next)
        if (context->device == device && context->incarnation == device->incarnation)
            raise_event(context, IBV_EVENT_DEVICE_FATAL, NULL, 0);
    for (struct cm_id *id = ids; id; id = id->next)
        if (id->device == device && id->context && id->context->incarnation == device->incarnation) {
            close_port(id);
            if (id->wire)
                cut_wire(id->wire);
            tell(id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0, NULL, NULL, 0, 0);
        }
    pthread_mutex_unlock(&lock);
    return 0;
}

EXPORT int strict_add(int number) {
    struct device *device = numbered(number);
    if (!device)
        return ENODEV;
    pthread_mutex_lock(&lock);
    device->incarnation++;
    device->is_there = true;
    pthread_mutex_unlock(&lock);
    return 0;
}

// A bond fails over: ids keep their device, and those that listen hear nothing any more.
EXPORT int strict_change_address(int number) {
    struct device *device = numbered(number);
    if (!device)
        return ENODEV;
    pthread_mutex_lock(&lock);
    for (struct cm_id *id = ids; id; id = id->next)
        if (id->device == device) {
            id->is_stale = true;
            tell(id, RDMA_CM_EVENT_ADDR_CHANGE, 0, NULL, NULL, 0, 0);
        }
    pthread_mutex_unlock(&lock);
    return 0;
}

// Any other event of a device: of its port where port is not 0.
EXPORT int strict_event(int number, int type, int port) {
    struct device *device = numbered(number);
    if (!device)
        return ENODEV;
    pthread_mutex_lock(&lock);
    for (struct context *context = contexts; context; context = context->next)
        if (context->device == device)
            raise_event(context, type, NULL, port);
    pthread_mutex_unlock(&lock);
    return 0;
}
