// SPDX-License-Identifier: Apache-2.0
//
// What two ends of a connection say to each other, over a Unix socket whether they are in one process or in two. A thread
// of each process carries out what arrives for its own regions: it is the adapter. A process that is killed takes it along.

#define _GNU_SOURCE
#include "strict.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define READ_LENGTH (256 * 1024)
#define SEND_LENGTH (64 * 1024)
#define MAX_FDS 4096
#define NO_ANSWER_NS 200000000 // until a request fails whose peer is not there: retries times the ACK time-out

static struct wire *wires;
static int waker = -1;
uint64_t rounds;

int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

// Buffers

static uint8_t *room(struct buffer *buffer, size_t length) {
    if (buffer->begin == buffer->end)
        buffer->begin = buffer->end = 0;
    if (buffer->capacity - buffer->end < length) {
        memmove(buffer->bytes, buffer->bytes + buffer->begin, buffer->end - buffer->begin);
        buffer->end -= buffer->begin;
        buffer->begin = 0;
    }
    if (buffer->capacity - buffer->end < length) {
        buffer->capacity = (buffer->end + length) * 2;
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
    }
    return buffer->bytes + buffer->end;
}

// Sending

void put_message(struct wire *wire, const struct message *message, const void *data) {
    if (wire->is_over)
        return;
    uint8_t *to = room(&wire->out, sizeof *message + message->length);
    memcpy(to, message, sizeof *message);
    if (message->length)
        memcpy(to + sizeof *message, data, message->length);
    wire->out.end += sizeof *message + message->length;
}

static bool flush(struct wire *wire) {
    while (wire->out.begin < wire->out.end) {
        ssize_t sent = send(wire->fd, wire->out.bytes + wire->out.begin, wire->out.end - wire->out.begin, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno != EAGAIN)
                wire->out.begin = wire->out.end; // the peer is gone
            return errno != EAGAIN;
        }
        wire->out.begin += (size_t)sent;
    }
    return true;
}

// Reads the request's memory now: it must not have changed since it was posted, nor change until it completes.
static void put_request(struct wire *wire, struct queue_pair *qp) {
    struct request *request = &qp->requests[qp->sent % qp->cap.max_send_wr];
    struct message message = {
        .type = request->opcode == IBV_WR_SEND ? SEND : request->opcode == IBV_WR_RDMA_WRITE ? WRITE : FETCH_ADD,
        .length = request->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 0 : (uint32_t)request->length,
        .remote = request->remote, .rkey = request->rkey, .operand = request->operand, .rnr_retry = qp->rnr_retry};
    uint8_t *to = room(&wire->out, sizeof message + message.length);
    memcpy(to, &message, sizeof message);
    if (message.length)
        gather(request, to + sizeof message);
    wire->out.end += sizeof message + message.length;
    request->digest = digest(request);
    qp->sent++;
}

void pump(struct wire *wire) {
    struct queue_pair *qp = wire->id ? wire->id->qp : NULL;
    if (wire->gone_ns)
        wake_service(); // to count the time of what is not answered
    if (wire->is_over || wire->is_dark)
        return;
    bool may_go = flush(wire);
    while (may_go && qp && qp->is_open && qp->base.state == IBV_QPS_RTS && qp->sent < qp->posted && !is_gone(qp->context)) {
        while (qp->sent < qp->posted && wire->out.end - wire->out.begin < SEND_LENGTH)
            put_request(wire, qp);
        may_go = flush(wire);
        if (may_go && profile->completes_early)
            finish_requests(qp, qp->sent, IBV_WC_SUCCESS);
    }
    if (!may_go)
        wake_service();
}

// Carrying out

// IBA table 45; the rest is longer than a test waits.
static int64_t rnr_ns(int timer) {
    static const int hundredths_ms[] = {65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512};
    return timer < 19 ? hundredths_ms[timer] * 10000ll : 491520000;
}

static void refuse(struct wire *wire, struct queue_pair *qp, int status) {
    struct message answer = {.type = DONE, .operand = wire->landed, .status = status};
    put_message(wire, &answer, NULL);
    wire->told = wire->landed;
    if (status == IBV_WC_REM_ACCESS_ERR)
        raise_event(qp->context, IBV_EVENT_QP_ACCESS_ERR, &qp->base, 0);
    fail_queue_pair(qp);
}

// Whether the message was taken; otherwise it comes again later.
static bool take_send(struct wire *wire, struct queue_pair *qp, const struct message *message, const uint8_t *data) {
    if (qp->slot_count == 0) {
        if (is_iwarp()) {
            refuse(wire, qp, IBV_WC_REM_INV_REQ_ERR);
            return true;
        }
        if (wire->stalled_ns == 0)
            wire->rnr_left = message->rnr_retry;
        if (message->rnr_retry != 7 && wire->rnr_left-- == 0) {
            refuse(wire, qp, IBV_WC_RNR_RETRY_EXC_ERR);
            return true;
        }
        wire->stalled_ns = now_ns() + rnr_ns(qp->rnr_timer);
        count_longest(LONGEST_RNR_US, (uint64_t)rnr_ns(qp->rnr_timer) / 1000);
        return false;
    }
    struct receive *slot = &qp->slots[qp->slot_head];
    if (message->length > slot->piece.length) {
        refuse(wire, qp, IBV_WC_REM_INV_REQ_ERR);
        return true;
    }
    require_local(qp->domain, &slot->piece, true);
    memcpy((void *)slot->piece.addr, data, message->length);
    struct completion completion = {
        .wc = {.wr_id = slot->id, .opcode = IBV_WC_RECV, .byte_len = message->length, .qp_num = qp->base.qp_num}};
    qp->slot_head = (qp->slot_head + 1) % qp->cap.max_recv_wr;
    qp->slot_count--;
    wire->landed++;
    complete(qp->receives, &completion);
    return true;
}

static bool take_write(struct wire *wire, struct queue_pair *qp, const struct message *message, const uint8_t *data) {
    // A write of no bytes needs no key: IBA 10.6.3.2.
    if (message->length && !is_remote_allowed(qp->domain, message->rkey, message->remote, message->length, IBV_ACCESS_REMOTE_WRITE)) {
        refuse(wire, qp, IBV_WC_REM_ACCESS_ERR);
        return true;
    }
    land(message->remote, data, message->length);
    wire->landed++;
    return true;
}

static bool take_add(struct wire *wire, struct queue_pair *qp, const struct message *message) {
    if (!is_remote_allowed(qp->domain, message->rkey, message->remote, 8, IBV_ACCESS_REMOTE_ATOMIC)) {
        refuse(wire, qp, IBV_WC_REM_ACCESS_ERR);
        return true;
    }
    __atomic_fetch_add((uint64_t *)message->remote, message->operand, __ATOMIC_SEQ_CST);
    wire->landed++;
    return true;
}

static bool take_data(struct wire *wire, const struct message *message, const uint8_t *data) {
    struct queue_pair *qp = wire->id ? wire->id->qp : NULL;
    if (!qp || !qp->is_open || qp->base.state != IBV_QPS_RTS || is_gone(qp->context) || wire->id->has_left)
        return true; // nobody answers
    on_data_before_ready(wire->id);
    return message->type == SEND ? take_send(wire, qp, message, data)
           : message->type == WRITE ? take_write(wire, qp, message, data) : take_add(wire, qp, message);
}

// A peek at the message behind the next; null if it has not arrived whole.
static const struct message *second(struct wire *wire, size_t first) {
    size_t begin = wire->in.begin + first;
    if (wire->in.end < begin + sizeof(struct message))
        return NULL;
    const struct message *message = (const void *)(wire->in.bytes + begin);
    return wire->in.end < begin + sizeof *message + message->length ? NULL : message;
}

// The later of two writes is placed first, and once more in its turn.
static void overtake(struct wire *wire, const struct message *first) {
    const struct message *later = second(wire, sizeof *first + first->length);
    struct queue_pair *qp = wire->id ? wire->id->qp : NULL;
    static unsigned turn;
    if (later && later->type == WRITE && first->type == WRITE && qp && qp->is_open && turn++ % 3 == 0 &&
        is_remote_allowed(qp->domain, later->rkey, later->remote, later->length, IBV_ACCESS_REMOTE_WRITE)) {
        land(later->remote, (const uint8_t *)(later + 1), later->length);
        pthread_mutex_unlock(&lock);
        usleep(200);
        pthread_mutex_lock(&lock);
    }
}

static void take_messages(struct wire *wire) {
    while (!wire->stalled_ns && wire->id && wire->in.end - wire->in.begin >= sizeof(struct message)) {
        struct message message;
        memcpy(&message, wire->in.bytes + wire->in.begin, sizeof message);
        size_t length = sizeof message + message.length;
        if (wire->in.end - wire->in.begin < length)
            break;
        const uint8_t *data = wire->in.bytes + wire->in.begin + sizeof message;
        bool is_data = message.type == WRITE || message.type == SEND || message.type == FETCH_ADD;
        if (profile->overtakes)
            overtake(wire, &message);
        if (!is_data)
            on_message(wire, &message, data);
        else if (!wire->is_dark && !take_data(wire, &message, data))
            break;
        wire->in.begin += length;
    }
    if (wire->id && !wire->is_dark && wire->told < wire->landed && !profile->completes_early) {
        struct message answer = {.type = DONE, .operand = wire->told = wire->landed};
        put_message(wire, &answer, NULL);
    }
    if (wire->out.begin < wire->out.end)
        pump(wire);
}

static void receive(struct wire *wire) {
    ssize_t length = recv(wire->fd, room(&wire->in, READ_LENGTH), READ_LENGTH, MSG_DONTWAIT);
    if (length > 0) {
        wire->in.end += (size_t)length;
        take_messages(wire);
    } else if (length == 0 || errno != EAGAIN) {
        wire->is_over = true;
        if (wire->id)
            on_end_of_wire(wire);
    }
}

// Timers: a peer without a receive, and one that is not there.
static void check_time(struct wire *wire, int64_t now) {
    if (wire->stalled_ns && now >= wire->stalled_ns) {
        int64_t stalled = wire->stalled_ns;
        wire->stalled_ns = 0;
        struct queue_pair *qp = wire->id ? wire->id->qp : NULL;
        if (qp && qp->is_open && qp->slot_count == 0)
            wire->stalled_ns = stalled; // counts on as the same wait
        if (wire->stalled_ns) {
            struct message message;
            memcpy(&message, wire->in.bytes + wire->in.begin, sizeof message);
            if (take_send(wire, qp, &message, NULL)) {
                wire->stalled_ns = 0;
                wire->in.begin += sizeof message + message.length;
            }
        }
        take_messages(wire);
    }
    struct queue_pair *qp = wire->id ? wire->id->qp : NULL;
    if (wire->gone_ns && qp && qp->is_open && qp->done < qp->posted && qp->base.state == IBV_QPS_RTS && !is_gone(qp->context)) {
        if (wire->gone_ns < 0)
            wire->gone_ns = now + NO_ANSWER_NS;
        else if (now >= wire->gone_ns)
            finish_requests(qp, qp->done + 1, is_iwarp() ? IBV_WC_WR_FLUSH_ERR : IBV_WC_RETRY_EXC_ERR);
    }
}

// The thread

static void sweep(void) {
    for (struct wire **link = &wires; *link;) {
        struct wire *wire = *link;
        if (!wire->id && (wire->is_over || wire->out.begin == wire->out.end)) {
            *link = wire->next;
            close(wire->fd);
            free(wire->in.bytes);
            free(wire->out.bytes);
            free(wire);
        } else {
            link = &wire->next;
        }
    }
}

static int wait_ms(int64_t now) {
    int64_t first = -1;
    for (struct wire *wire = wires; wire; wire = wire->next) {
        struct queue_pair *qp = wire->id ? wire->id->qp : NULL;
        bool is_waiting = wire->gone_ns && qp && qp->is_open && qp->done < qp->posted && qp->base.state == IBV_QPS_RTS && !is_gone(qp->context);
        int64_t next = wire->stalled_ns ? wire->stalled_ns : is_waiting ? (wire->gone_ns > 0 ? wire->gone_ns : now) : -1;
        if (next >= 0 && (first < 0 || next < first))
            first = next;
    }
    return first < 0 ? -1 : first <= now ? 0 : (int)((first - now) / 1000000 + 1);
}

static void *serve(void *unused) {
    (void)unused;
    static struct pollfd polled[MAX_FDS];
    static void *owners[MAX_FDS];
    pthread_mutex_lock(&lock);
    while (true) {
        int used = 0;
        polled[used++] = (struct pollfd){.fd = waker, .events = POLLIN};
        for (struct cm_id *id = ids; id && used < MAX_FDS / 2; id = id->next)
            if (id->state == LISTENING && id->listener >= 0) {
                owners[used] = id;
                polled[used++] = (struct pollfd){.fd = id->listener, .events = POLLIN};
            }
        int first_wire = used;
        sweep();
        for (struct wire *wire = wires; wire && used < MAX_FDS; wire = wire->next) {
            short events = (short)((wire->is_over || wire->stalled_ns ? 0 : POLLIN) | (wire->out.begin < wire->out.end && !wire->is_over ? POLLOUT : 0));
            owners[used] = wire;
            polled[used++] = (struct pollfd){.fd = wire->is_over ? -1 : wire->fd, .events = events};
        }
        int timeout = wait_ms(now_ns());
        pthread_mutex_unlock(&lock);
        poll(polled, (nfds_t)used, timeout);
        pthread_mutex_lock(&lock);
        rounds++;
        uint64_t wakes;
        if (polled[0].revents && read(waker, &wakes, sizeof wakes) < 0 && errno != EAGAIN)
            perror("strict device");
        for (int i = 1; i < first_wire; i++) {
            struct cm_id *id = owners[i];
            if (polled[i].revents && id->is_open && id->listener == polled[i].fd)
                on_request(id, polled[i].fd);
        }
        int64_t now = now_ns();
        for (int i = first_wire; i < used; i++) {
            struct wire *wire = owners[i]; // freed by this thread only
            if (polled[i].revents & (POLLIN | POLLHUP | POLLERR) && !wire->stalled_ns)
                receive(wire);
            if (polled[i].revents & POLLOUT)
                pump(wire);
            check_time(wire, now);
        }
    }
    return NULL;
}

void start_service(void) {
    pthread_t thread;
    sigset_t all, before;
    waker = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the threads of the program
    if (waker < 0 || pthread_create(&thread, NULL, serve, NULL)) {
        perror("strict device");
        exit(2);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void wake_service(void) {
    uint64_t one = 1;
    if (write(waker, &one, sizeof one) < 0 && errno != EAGAIN)
        perror("strict device");
}

struct wire *open_wire(int fd, struct cm_id *id) {
    struct wire *wire = calloc(1, sizeof *wire);
    wire->fd = fd;
    wire->id = id;
    wire->next = wires;
    wires = wire;
    wake_service();
    return wire;
}

// The id ends: what was said is still sent.
void leave_wire(struct wire *wire) {
    wire->id = NULL;
    wire->stalled_ns = 0;
    if (!wire->is_dark)
        flush(wire);
    else
        wire->out.begin = wire->out.end;
    wake_service();
}

void cut_wire(struct wire *wire) {
    struct message dark = {.type = DARK};
    put_message(wire, &dark, NULL);
    flush(wire);
    wire->is_dark = true;
    wake_service();
}
