// SPDX-License-Identifier: Apache-2.0
//
// Protection domains and memory regions. Local and remote keys always differ; objects are never reused, so that a
// stale pointer is noticed.

#define _GNU_SOURCE
#include "strict.h"

#include <stdio.h>
#include <sys/resource.h>

#define LOCAL_KEYS 0x10000000u
#define REMOTE_KEYS 0x70000000u
#define KEY_STEP 256u
#define KEY_TAG 7u
#define MAX_REGIONS (1 << 22)

struct region {
    struct ibv_mr base;
    struct domain *domain;
    int access;
    bool is_open, is_uncounted;
};

static struct region *regions[MAX_REGIONS];
static uint32_t region_count;
static int open_regions;
static uint64_t pinned;

EXPORT struct ibv_pd *ibv_alloc_pd(struct ibv_context *base) {
    FAULT(NULL);
    pthread_mutex_lock(&lock);
    struct context *context = context_of(base, __func__);
    struct domain *domain = NULL;
    if (is_gone(context)) {
        errno = EIO;
    } else {
        domain = calloc(1, sizeof *domain);
        domain->base.context = base;
        domain->context = context;
        domain->is_open = true;
        count(DOMAINS, 1);
    }
    pthread_mutex_unlock(&lock);
    return domain ? &domain->base : NULL;
}

// use-after-destroy: ibv_alloc_pd(3), ibv_reg_mr(3), ibv_create_cq(3): the object ends with its destruction.
struct domain *domain_of(struct ibv_pd *base, const char *call) {
    struct domain *domain = (struct domain *)base;
    if (!domain->is_open)
        RULE("use-after-destroy", "%s of a protection domain that was deallocated", call);
    context_of(domain->base.context, call);
    return domain;
}

// ibv_dealloc_pd(3): fails while any object uses the domain.
EXPORT int ibv_dealloc_pd(struct ibv_pd *base) {
    FAULT_CODE();
    pthread_mutex_lock(&lock);
    struct domain *domain = domain_of(base, __func__);
    int error = destroyed(domain->context);
    if (!error && domain->users)
        error = EBUSY;
    domain->is_open = error != 0;
    if (error != EBUSY)
        count_end(DOMAINS, &domain->is_uncounted);
    pthread_mutex_unlock(&lock);
    return error;
}

// Whether memory is mapped, and writable if it must be.
static bool is_mapped(uint64_t begin, uint64_t length, bool writable) {
    FILE *maps = fopen("/proc/self/maps", "re");
    uint64_t covered = begin;
    unsigned long long from, to;
    char mode[8], line[512];
    while (maps && covered < begin + length && fgets(line, sizeof line, maps))
        if (sscanf(line, "%llx-%llx %7s", &from, &to, mode) == 3 && from <= covered && covered < to) {
            if (mode[0] != 'r' || (writable && mode[1] != 'w'))
                break;
            covered = to;
        }
    if (maps)
        fclose(maps);
    return covered >= begin + length;
}

static bool may_lock(uint64_t more) {
    struct rlimit limit;
    unsigned long long capabilities = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof line, status))
        sscanf(line, "CapEff: %llx", &capabilities);
    if (status)
        fclose(status);
    getrlimit(RLIMIT_MEMLOCK, &limit);
    return capabilities >> 14 & 1 || pinned + more <= limit.rlim_cur; // CAP_IPC_LOCK
}

static int refusal(struct domain *domain, uint64_t address, size_t length, int access) {
    if (is_gone(domain->context))
        return EIO;
    // ibv_reg_mr(3): remote write and atomics need local write.
    if (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC) && !(access & IBV_ACCESS_LOCAL_WRITE))
        return EINVAL;
    if (!is_mapped(address, length, access & IBV_ACCESS_LOCAL_WRITE))
        return EFAULT;
    if (open_regions >= profile->max_mr || region_count == MAX_REGIONS || !may_lock(length))
        return ENOMEM;
    return 0;
}

EXPORT struct ibv_mr *ibv_reg_mr(struct ibv_pd *base, void *address, size_t length, int access) {
    FAULT(NULL);
    // relaxed-or-unknown-access: the remote log rests on strict order; nothing else is asked for.
    int known = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    if (access & ~known)
        RULE("access-flags", "ibv_reg_mr with the access flags 0x%x", access);
    pthread_mutex_lock(&lock);
    struct domain *domain = domain_of(base, __func__);
    int error = refusal(domain, (uint64_t)address, length, access);
    struct region *region = NULL;
    if (!error) {
        uint32_t number = region_count;
        region = calloc(1, sizeof *region);
        region->base = (struct ibv_mr){
            .context = base->context, .pd = base, .addr = address, .length = length, .handle = number,
            .lkey = LOCAL_KEYS + number * KEY_STEP};
        bool is_remote = access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
        if (is_remote || !profile->no_rkey_unless_remote)
            region->base.rkey = REMOTE_KEYS + number * KEY_STEP + KEY_TAG;
        region->domain = domain;
        region->access = access;
        region->is_open = true;
        regions[number] = region;
        region_count++;
        open_regions++;
        count(REGIONS, 1);
        domain->users++;
        pinned += length;
    }
    pthread_mutex_unlock(&lock);
    errno = error;
    return region ? &region->base : NULL;
}

EXPORT int ibv_dereg_mr(struct ibv_mr *base) {
    FAULT_CODE();
    pthread_mutex_lock(&lock);
    struct region *region = (struct region *)base;
    if (!region->is_open)
        RULE("use-after-destroy", "%s of a region that was deregistered", __func__);
    context_of(base->context, __func__);
    int error = destroyed(region->domain->context);
    // deregistered-while-posted: IBA 10.6.7.4: requests that still use the region fail, or what they read or write
    // has another owner by then.
    if (!error && is_posted(base->lkey))
        RULE("deregistered-while-posted", "the region of the key 0x%x is deregistered while a request uses it", base->lkey);
    if (!error) {
        region->is_open = false;
        region->domain->users--;
    }
    if (!region->is_uncounted) { // the kernel has released those of a device that is gone
        open_regions--;
        pinned -= base->length;
    }
    count_end(REGIONS, &region->is_uncounted);
    pthread_mutex_unlock(&lock);
    return error;
}

static struct region *keyed(uint32_t key, uint32_t first, uint32_t tag) {
    uint32_t number = (key - first) / KEY_STEP;
    bool is_key = key >= first && (key - first) % KEY_STEP == tag && number < region_count;
    return is_key && regions[number]->is_open ? regions[number] : NULL;
}

static bool covers(const struct region *region, uint64_t address, uint64_t length) {
    uint64_t begin = (uint64_t)region->base.addr;
    return address >= begin && length <= region->base.length && address - begin <= region->base.length - length;
}

// IBA 10.6.3.1: a local key must be known, of the queue pair's domain, cover the piece and allow the access.
void require_local(struct domain *domain, const struct ibv_sge *piece, bool is_written) {
    struct region *region = keyed(piece->lkey, LOCAL_KEYS, 0);
    if (!region)
        RULE("local-key", "0x%x is not the local key of a region", piece->lkey);
    if (region->domain != domain)
        RULE("local-domain", "the local key 0x%x is of another protection domain", piece->lkey);
    if (!covers(region, piece->addr, piece->length))
        RULE("local-bounds", "%u bytes at 0x%lx are not within the region of the key 0x%x: %zu bytes at %p",
             piece->length, (unsigned long)piece->addr, piece->lkey, region->base.length, region->base.addr);
    if (is_written && !(region->access & IBV_ACCESS_LOCAL_WRITE))
        RULE("local-access", "a receive into a region without local write, key 0x%x", piece->lkey);
}

// IBA 10.6.3.2: otherwise the requester gets a remote access error. A hostile peer may try, so that this is no rule.
bool is_remote_allowed(struct domain *domain, uint32_t rkey, uint64_t address, uint64_t length, int access) {
    struct region *region = keyed(rkey, REMOTE_KEYS, KEY_TAG);
    return region && region->domain == domain && (region->access & access) == access && covers(region, address, length);
}

// For tests that free memory: whether a region has any of it, or one that the peer of a connected queue pair can write.
EXPORT int strict_is_registered(uint64_t address, uint64_t length, int is_written) {
    pthread_mutex_lock(&lock);
    bool is_found = false;
    for (uint32_t i = 0; i < region_count && !is_found; i++) {
        const struct region *region = regions[i];
        uint64_t begin = (uint64_t)region->base.addr;
        is_found = region->is_open && !region->is_uncounted && begin < address + length && address < begin + region->base.length && !is_gone(region->domain->context) &&
                   (!is_written || (region->access & IBV_ACCESS_REMOTE_WRITE && has_connection(region->domain)));
    }
    pthread_mutex_unlock(&lock);
    return is_found;
}
