// SPDX-License-Identifier: Apache-2.0
//
// How bytes are read and how they become visible: the pieces of one write land in any order, and a
// poller sees each aligned word of 8 bytes whole. No adapter promises more.

#include "strict.h"

#define SHORT 512
#define PIECE 256

static uint64_t state = 88172645463325252ull;

static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void copy_words(uint64_t address, const uint8_t *from, uint64_t words, bool is_backwards) {
    for (uint64_t i = 0; i < words; i++) {
        uint64_t at = is_backwards ? words - 1 - i : i, word;
        memcpy(&word, from + at * 8, 8);
        __atomic_store_n((uint64_t *)(address + at * 8), word, __ATOMIC_RELAXED);
    }
}

static void land_piece(uint64_t address, const uint8_t *from, uint64_t length) {
    uint64_t head = address & 7 ? 8 - (address & 7) : 0;
    if (head > length)
        head = length;
    memcpy((void *)address, from, head);
    uint64_t words = (length - head) / 8;
    if (length <= SHORT)
        copy_words(address + head, from + head, words, next_random() & 1);
    else
        memcpy((void *)(address + head), from + head, words * 8);
    memcpy((void *)(address + head + words * 8), from + head + words * 8, length - head - words * 8);
}

// From a piece in the middle, which may be any, around.
void land(uint64_t address, const uint8_t *from, uint64_t length) {
    uint64_t size = length <= SHORT ? 64 : length / 8 / PIECE * PIECE + PIECE;
    uint64_t pieces = (length + size - 1) / size;
    uint64_t first = pieces > 1 ? next_random() % pieces : 0;
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t begin = (first + i) % pieces * size;
        land_piece(address + begin, from + begin, begin + size > length ? length - begin : size);
        __atomic_thread_fence(__ATOMIC_RELEASE);
    }
}

void gather(const struct request *request, uint8_t *to) {
    if (request->flags & IBV_SEND_INLINE) {
        memcpy(to, request->inline_data, request->length);
        return;
    }
    for (int i = 0; i < request->pieces; i++) {
        memcpy(to, (void *)request->piece[i].addr, request->piece[i].length);
        to += request->piece[i].length;
    }
}
