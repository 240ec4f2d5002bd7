// SPDX-License-Identifier: Apache-2.0
//
// What ends a process, what a test plans to go wrong, and what it counts.
//
// A plan is one line, in STRICT_DEVICE_PLAN or given to strict_plan(): "NAME:N:ERRNO[,…]" has the N-th call
// of a function from now on fail ("*": each call), as in "ibv_reg_mr:2:12", or take so many milliseconds ("~"), as in
// "rdma_connect:*:~30000". NAME may also be what is no call: "completion" (of a send queue; drop), "ready" (the last message of a
// handshake; drop), "send-depth" (a queue pair gets so many work requests and no more). A delayed "completion" is polled so much
// later, and those behind it with it.

#define _GNU_SOURCE
#include "strict.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define MAX_FAULTS 32

static struct {
    char name[48];
    long left; // calls up to the one that fails; -1: all
    int error, delay_ms;
} plan[MAX_FAULTS];
static int planned;
static uint32_t plans; // that were given
static pthread_mutex_t plan_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t counts[COUNTS];
static char note[256]; // what a test runs now
static const char *const count_names[COUNTS] = {"post-send", "requests", "inline-bytes", "post-recv", "writes", "sends", "empty-writes", "atomics", "queue-pairs", "longest-rnr-us", "adapter-reads", "packets", "bytes", "held", "ids", "domains", "regions", "completion-queues"};

void broken_rule(const char *name, const char *detail, ...) {
    va_list arguments;
    va_start(arguments, detail);
    fprintf(stderr, "strict device: broken rule %s: ", name);
    vfprintf(stderr, detail, arguments);
    fprintf(stderr, "%s%s\n", *note ? "; " : "", note);
    fflush(stderr);
    va_end(arguments);
    abort(); // a JVM prints the Java frames of the call that broke it
}

// Is printed with a rule that is broken from now on, such as the seed of what runs.
EXPORT void strict_note(const char *text) {
    snprintf(note, sizeof note, "%s", text);
}

EXPORT void strict_plan(const char *text) {
    char copy[1024], *rest = copy, *entry;
    snprintf(copy, sizeof copy, "%s", text);
    pthread_mutex_lock(&plan_lock);
    planned = 0;
    __atomic_fetch_add(&plans, 1, __ATOMIC_RELEASE);
    while ((entry = strsep(&rest, ",")) && *entry) {
        char *name = strsep(&entry, ":"), *number = strsep(&entry, ":");
        if (!number || !entry || planned == MAX_FAULTS) {
            fprintf(stderr, "strict device: not a plan: %s\n", text);
            exit(2);
        }
        snprintf(plan[planned].name, sizeof plan[planned].name, "%s", name);
        plan[planned].left = *number == '*' ? -1 : atol(number);
        plan[planned].error = !strcmp(entry, "drop") ? DROP : *entry == '~' ? 0 : atoi(entry);
        plan[planned++].delay_ms = *entry == '~' ? atoi(entry + 1) : 0;
    }
    pthread_mutex_unlock(&plan_lock);
}

void load_plan(void) {
    const char *text = getenv("STRICT_DEVICE_PLAN");
    if (text)
        strict_plan(text);
}

// Does not wait: what it is about is due so much later.
int fault_and_delay(const char *name, int *delay_ms) {
    int error = 0;
    *delay_ms = 0;
    if (__atomic_load_n(&planned, __ATOMIC_ACQUIRE) == 0)
        return 0;
    pthread_mutex_lock(&plan_lock);
    for (int i = 0; i < planned && !error; i++)
        if (!strcmp(plan[i].name, name) && plan[i].left && (plan[i].left < 0 || --plan[i].left == 0)) {
            error = plan[i].error;
            *delay_ms = plan[i].delay_ms;
        }
    pthread_mutex_unlock(&plan_lock);
    return error;
}

int fault(const char *name) {
    int delay_ms, error = fault_and_delay(name, &delay_ms);
    uint32_t round = __atomic_load_n(&plans, __ATOMIC_ACQUIRE);
    if (delay_ms)
        count(HELD, 1);
    // Another plan ends the wait, so that what a test has had held goes on.
    for (int waited_ms = 0; waited_ms < delay_ms && round == __atomic_load_n(&plans, __ATOMIC_ACQUIRE); waited_ms++)
        usleep(1000);
    if (delay_ms)
        count(HELD, (uint64_t)-1);
    return error;
}

void count(enum count what, uint64_t how_many) {
    __atomic_fetch_add(&counts[what], how_many, __ATOMIC_RELAXED);
}

// With the lock held.
void count_end(enum count what, bool *is_uncounted) {
    if (!*is_uncounted)
        count(what, (uint64_t)-1);
    *is_uncounted = true;
}

// With the lock held.
void count_longest(enum count what, uint64_t value) {
    if (counts[what] < value)
        __atomic_store_n(&counts[what], value, __ATOMIC_RELAXED);
}

// Doorbells are post-send calls: each call rings once. Queue pairs are those that there are now; held are the calls that a plan
// delays now; ids, domains, regions and completion queues are those that are not destroyed.
EXPORT int64_t strict_count(const char *name) {
    for (int i = 0; i < COUNTS; i++)
        if (!strcmp(count_names[i], name))
            return (int64_t)__atomic_load_n(&counts[i], __ATOMIC_RELAXED);
    return -1;
}
