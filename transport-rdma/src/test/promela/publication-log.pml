/* SPDX-License-Identifier: Apache-2.0
 *
 * A publication's log: claim, commit, clean, limit, unblock and join. What it says is in
 * docs/protocol/model.md; what is checked, and with which faults, in the script `check` beside it.
 *
 * A position counts slots; a frame takes one or two, or as padding the rest of its term. The log is
 * a ring of three terms. The first word of a frame holds its length, negative while it is claimed,
 * and its type. `stamp` is the position for which the word was written. It is there to be checked
 * only: what an earlier lap has left is told from what should be there.
 *
 *   publisher  as a client of Aeron: adds to the tail, marks, fills and commits by plain stores,
 *              and zeroes nothing ahead, as the log is cleaned; two, or one if EXCLUSIVE
 *   exclusive  if ZEROES_AHEAD is defined, the only one: zeroes the next frame's word before the
 *              tail gets there; the log is not cleaned
 *   conductor  releases what all have read, cleans, raises the limit, makes padding of claims whose
 *              owners have died, finishes rotations, lets a reader join (JOIN) and one go (LEAVE)
 *   reader     reads the log in place, at any time: a subscriber, or a spy if SENT
 *   sender     if SENT: sends committed frames; when a queue pair fails, goes back to what was
 *              consumed
 *   wire       reads what was posted as late as can be, when it is about to count as consumed
 *
 * Stores are seen in their order, as each that matters has release. Cleaning is one step, which
 * finds whatever could be read meanwhile. How two threads release while a reader joins is in
 * remote-log.pml. Bounds: MESSAGES of a publisher, DEATHS at any step from a claim to the end of a
 * rotation, FAILURES of a queue pair. All is finite, so that what does not end well ends in a
 * time-out.
 */

#ifndef TERM
#define TERM 3              /* slots */
#endif
#ifndef MESSAGES
#define MESSAGES 2          /* of a publisher */
#endif
#ifndef FEW
#define FEW MESSAGES        /* of the other one */
#endif
/* Slots of a message: one of each publisher fits between the limit and what may be dirty. */
#ifndef LONGEST
#define LONGEST 2
#endif
#ifndef SHORTER
#define SHORTER 1           /* of the other one */
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef FAILURES
#define FAILURES 1
#endif
#ifndef UNCLEAN
#define UNCLEAN 1           /* slots that are cleaned at once, at least */
#endif
#define MOST 2              /* and at most */
#ifdef ZEROES_AHEAD
#define EXCLUSIVE
#endif
#ifdef EXCLUSIVE
#define PUBLISHERS 1
#else
#define PUBLISHERS 2
#endif
#define SLOTS (3 * TERM)
#define FIRST SLOTS         /* the first lap is over: its frames still lie in the log */
#define WINDOW (2 * TERM)
#define BACKLOG (2 * TERM)  /* consumed, and dirty yet: the most that a limit lets there be */

#define AT(p) ((p) % SLOTS)
#define TERM_END(p) (((p) / TERM + 1) * TERM)
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define MAX(a, b) ((a) > (b) -> (a) : (b))

/* The first word of a frame: 0, or its length and these. */
#define LENGTH(w) ((w) & 7)
#define CLAIMED 8           /* the length is negative */
#define PAD 16
#define COMMITTED(w) ((w) != 0 && ((w) & CLAIMED) == 0)

#define TAG(who, n) (1 + (who) * MESSAGES + (n))
#define OWNER(tag) (((tag) - 1) / MESSAGES)
#define NUMBER(tag) (((tag) - 1) % MESSAGES)
#define STALE 255           /* body of a frame of the first lap */
#define ANY 255

byte word[SLOTS];
byte stamp[SLOTS];
byte body[SLOTS];           /* tag of the message, in each slot of the frame */
byte tailTerm[3];           /* raw tails */
byte tailOffset[3];         /* TERM + 1: further than the term's end */
byte count = FIRST / TERM;  /* of the active term */
byte limit = FIRST;
byte cleaned = FIRST - BACKLOG;
byte released = FIRST;      /* position that all have consumed, as the conductor knows it */

byte claim[PUBLISHERS];     /* position of the open claim of a live publisher, or 0 */
byte committed[PUBLISHERS]; /* messages */
bool dead[PUBLISHERS];
bool finished[PUBLISHERS];
byte deaths;

bool counted[2];            /* the reader's position counts */
bool joined[2];             /* it reads */
byte position[2];
byte next[4];               /* number of the message that comes next: 2 * reader + publisher */

byte sent = FIRST;          /* sender position */
byte credit = FIRST;        /* consumption position, as the sender knows it */
byte failures;

#define TAIL_OF(term) ((term) * TERM + MIN(tailOffset[(term) % 3], TERM))
#define IS_FULL (tailTerm[count % 3] == count && tailOffset[count % 3] > TERM)
#ifdef TAIL_OF_ACTIVE       /* fault: a claim may be in the next term before that is active */
#define TAIL TAIL_OF(count)
#else
#define IS_NEXT_SET (IS_FULL && tailTerm[(count + 1) % 3] == count + 1)
#define TAIL (IS_NEXT_SET -> TAIL_OF(count + 1) : TAIL_OF(count))
#endif

/* Position that all have consumed; where nobody reads, the conductor's. */
#ifdef SENT
#define CONSUMED (counted[1] -> MIN(position[1], credit) : credit)
#define FURTHEST sent
#else
#define CONSUMED (counted[0] -> (counted[1] -> MIN(position[0], position[1]) : position[0]) \
    : (counted[1] -> position[1] : released))
#define FURTHEST MIN(MAX(released, MAX((counted[0] -> position[0] : 0), \
    (counted[1] -> position[1] : 0))), TAIL)
#endif

inline store(p, w) { word[AT(p)] = w; stamp[AT(p)] = p }

/* The payload of a frame of two slots looks like a frame where the second slot begins. */
inline fill(p, length, tag) {
    body[AT(p)] = tag;
    if
    :: length == 2 -> body[AT(p + 1)] = tag; word[AT(p + 1)] = 1; stamp[AT(p + 1)] = 0
    :: else
    fi
}

/* Nobody reads what lies there any more. */
inline clear(p) {
    assert((!counted[0] || p < position[0]) && (!counted[1] || p < position[1]));
#ifdef SENT
    assert(p < credit);     /* nor sends it again */
#endif
    word[AT(p)] = 0; stamp[AT(p)] = 0; body[AT(p)] = 0
}

/* Whoever has read the word reads the body. */
inline checkBody(p, w) {
    assert(body[AT(p)] != 0 && body[AT(p)] != STALE);
    assert(LENGTH(w) == 1 || body[AT(p + 1)] == body[AT(p)])
}

#define DIES atomic { deaths > 0 -> deaths--; dead[me] = true; claim[me] = 0; goto gone }

/* Both steps are conditional on what they replace. */
inline rotateTail(term) {
    if
    :: tailTerm[(term + 1) % 3] + 2 == term ->
        tailTerm[(term + 1) % 3] = term + 1; tailOffset[(term + 1) % 3] = 0
    :: else
    fi
}
inline rotateCount(term) {
    if
    :: count == term -> count++
    :: else
    fi
}

#if defined(ZEROES_AHEAD) || defined(NOT_CLEANED)
#define IS_CLEANED false    /* fault NOT_CLEANED: an ordinary log says that it is zeroed ahead */
#else
#define IS_CLEANED true
#endif
#ifdef WIDE_LIMIT           /* fault: a slot more */
#define LIMIT MIN(CONSUMED + WINDOW + 1, cleaned + 2 * TERM + 1)
#elif defined(LIMIT_FIRST)  /* fault: the limit is raised before the log is clean */
#define LIMIT (CONSUMED + WINDOW)
#else
#define LIMIT (IS_CLEANED -> MIN(CONSUMED + WINDOW, cleaned + 2 * TERM) : CONSUMED + WINDOW)
#endif

inline release() {
    assert(CONSUMED >= released);
    released = CONSUMED
}

proctype publisher(byte me, messages, longest) {
    byte term, at, length, p, number;
    bool isPadding;
    do
    :: number == messages -> break
    :: atomic { number < messages && tailTerm[count % 3] == count && TAIL_OF(count) < limit ->
        term = count;
        select(length : 1 .. longest) };
        atomic {
            at = tailOffset[term % 3];
            tailOffset[term % 3] = MIN(at + length, TERM + 1);
            term = tailTerm[term % 3]; /* the log may have gone round */
            isPadding = at + length > TERM;
            length = (isPadding && at < TERM -> TERM - at : length);
            p = term * TERM + at;
            if
            :: !isPadding || at < TERM ->
                claim[me] = p;
                /* What is claimed is clean, and so is the word where a reader then looks. */
                at = 0;
                do
                :: at < length -> assert(word[AT(p + at)] == 0 && body[AT(p + at)] == 0); at++
                :: else -> break
                od;
                assert(word[AT(p + at)] == 0)
            :: else -> p = 0
            fi;
            at = 0 };
        if
        :: p != 0 ->
#ifdef MARK_LATE            /* fault: the negative length comes after the payload */
            if
            :: atomic { isPadding -> skip }
            :: atomic { !isPadding -> fill(p, length, TAG(me, number)) }
            :: DIES
            fi;
#endif
            if
            :: atomic { true -> store(p, CLAIMED | length) }
            :: DIES
            fi;
#ifdef COMMIT_FIRST         /* fault: the frame is committed before it is filled */
            atomic { store(p, length | (isPadding -> PAD : 0)) };
#endif
#ifndef MARK_LATE
            if
            :: atomic { isPadding -> store(p, word[AT(p)] | PAD) }
            :: atomic { !isPadding -> fill(p, length, TAG(me, number)) }
            :: DIES
            fi;
#endif
            if
            :: atomic { true -> /* the length only: flags and type stay */
#ifndef COMMIT_FIRST
#ifdef MARK_LATE
                store(p, length | (isPadding -> PAD : 0));
#else
                store(p, length | (word[AT(p)] & PAD));
#endif
#endif
                claim[me] = 0; p = 0; length = 0;
                number = (isPadding -> number : number + 1);
                committed[me] = number }
            :: DIES
            fi
        :: else
        fi;
        if
        :: isPadding ->
            if
            :: atomic { true -> rotateTail(term) }
            :: DIES
            fi;
            if
            :: atomic { true -> rotateCount(term); isPadding = false; term = 0; length = 0 }
            :: DIES
            fi
        :: atomic { !isPadding -> term = 0 }
        fi
    od;
    finished[me] = true;
gone:
    skip
}

#define OFFSET (p - term * TERM)
/* What lies there was consumed, by all. */
#define checkRoom(q) assert((q) < CONSUMED + SLOTS)

inline zero(q) {
    checkRoom(q);
    word[AT(q)] = 0; stamp[AT(q)] = 0
}

/* Before the tail gets there. */
inline zeroAhead(q) {
#ifdef NO_ZERO_AHEAD        /* fault: nothing is zeroed ahead */
    skip
#elif defined(ZERO_LATE)    /* fault: the frame is committed first */
    skip
#else
    zero(q)
#endif
}

#ifdef ZEROES_AHEAD
/* An append, a claim that is committed later, or a message in two fragments. */
mtype = { APPEND, CLAIM, FRAGMENTS };

proctype exclusive(byte me, messages) {
    byte p = FIRST, term = FIRST / TERM, length, number;
    mtype kind;
    do
    :: number == messages -> break
    :: atomic { number < messages && p < limit ->
        select(length : 1 .. LONGEST);
        if
        :: kind = APPEND
        :: kind = CLAIM
        :: length == 2 && number + 2 <= messages -> kind = FRAGMENTS
        fi };
        if
        :: OFFSET + length > TERM ->
            if
            :: OFFSET < TERM ->
                atomic { zeroAhead((term + 1) * TERM) };
                if
                :: atomic { true -> tailOffset[term % 3] = TERM }
                :: DIES
                fi;
                if
                :: atomic { true -> checkRoom(p); store(p, (TERM - OFFSET) | PAD) }
                :: DIES
                fi
            :: else
            fi;
            atomic { rotateTail(term) };
            if
            :: atomic { true -> rotateCount(term); term++; p = term * TERM }
            :: DIES
            fi
        :: else ->
            if
            :: atomic { kind == APPEND ->
                checkRoom(p + length - 1); fill(p, length, TAG(me, number)) }
            :: kind != APPEND
            fi;
            atomic { zeroAhead(p + length) };
            if
            :: atomic { true -> tailOffset[term % 3] = OFFSET + length }
            :: DIES
            fi;
            if
            :: kind == CLAIM ->
                atomic { store(p, CLAIMED | length) };
                if
                :: atomic { true -> checkRoom(p + length - 1); fill(p, length, TAG(me, number)) }
                :: DIES
                fi
            :: kind == FRAGMENTS ->
                atomic { checkRoom(p); body[AT(p)] = TAG(me, number); zeroAhead(p + 1) };
                if
                :: atomic { true -> store(p, 1); p++; number++; committed[me] = number; length = 1 }
                :: DIES
                fi;
                atomic { checkRoom(p); body[AT(p)] = TAG(me, number); zeroAhead(p + 1) }
            :: kind == APPEND
            fi;
            if
            :: atomic { true -> store(p, length); p = p + length; number++; committed[me] = number }
            :: DIES
            fi;
#ifdef ZERO_LATE
            atomic { zero(p) };
#endif
            /* The lines of the next frame are taken. */
            atomic {
                if
                :: OFFSET + 1 < TERM && kind == APPEND -> zero(p + 1)
                :: else
                fi }
        fi;
        atomic { kind = 0; length = 0 }
    od;
    finished[me] = true;
gone:
    skip
}
#endif

/* A claim has been open for the unblock timeout: live publishers have committed theirs. */
#ifdef UNBLOCK_EARLY        /* fault: no time passes */
#define HAS_PASSED true
#elif defined(EXCLUSIVE)    /* claims stay open until the stream ends */
#define HAS_PASSED dead[0]
#else
#define IS_DONE(i) (claim[i] == 0 || claim[i] >= tailThen)
#define HAS_PASSED (IS_DONE(0) && IS_DONE(PUBLISHERS - 1))
#endif

#define IS_BLOCKED (FURTHEST < TAIL && !COMMITTED(word[AT(FURTHEST)]))
/* To look before has no consequences but more states. */
#define SOME_DEAD (dead[0] || dead[PUBLISHERS - 1])

#ifdef LEAVE
#define NOBODY (!counted[0] && !counted[1])
#else
#define NOBODY false
#endif

proctype conductor() {
    byte i, to;
    byte blocked, tailThen;     /* where the log was found blocked, and its tail then */
    byte term;
end:
    do
    :: atomic { IS_CLEANED && CONSUMED >= cleaned + UNCLEAN ->
        release();
#ifdef CLEAN_TOO_FAR        /* fault: a slot more than was consumed */
        to = MIN(released + 1, TERM_END(cleaned));
#elif defined(CLEAN_SENT)   /* fault: what was sent is taken for consumed */
        to = MIN(sent, TERM_END(cleaned));
#else
        to = MIN(released, TERM_END(cleaned));
#endif
        to = MIN(to, cleaned + MOST);
        i = cleaned;
#ifdef CLEANED_FIRST        /* fault: the limit may rise before the zeroes are there */
        cleaned = to; limit = MAX(limit, LIMIT) };
        atomic {
#endif
        do
        :: i < to -> clear(i); i++
        :: else -> break
        od;
        cleaned = to; limit = (NOBODY -> limit : MAX(limit, LIMIT));
        i = 0; to = 0 }
    :: atomic { !NOBODY && LIMIT > limit -> release(); limit = LIMIT }
    :: atomic { SOME_DEAD && IS_BLOCKED && blocked != FURTHEST ->
        blocked = FURTHEST;
        tailThen = TAIL }
    :: atomic { blocked == FURTHEST && IS_BLOCKED && HAS_PASSED ->
#ifdef UNBLOCK_TO_TAIL      /* fault: what was claimed meanwhile is taken for dead, too */
        tailThen = TAIL;
#endif
        to = MIN(tailThen, TERM_END(blocked));
        if
        :: word[AT(blocked)] != 0 -> i = LENGTH(word[AT(blocked)])
        :: else ->
#ifdef EXCLUSIVE
            i = to - blocked
#else
            i = 1;
            do
            :: blocked + i < to && word[AT(blocked + i)] == 0 -> i++
            :: else -> break
            od
#endif
        fi;
        store(blocked, i | PAD);
        i = 0; to = 0; blocked = 0; tailThen = 0 }
    :: atomic { SOME_DEAD && IS_FULL && FURTHEST == TAIL -> term = count; rotateTail(term) };
        atomic { rotateCount(term); term = 0 }
#ifdef JOIN
#ifdef SENT
    :: atomic { !counted[1] && !joined[1] ->
#ifdef COUNT_LAST           /* fault: the spy counts when it has chosen */
        position[1] = MAX(sent, released) };
        atomic { counted[1] = true; joined[1] = true }
#else
        position[1] = released; counted[1] = true };
        atomic { position[1] = MAX(sent, released); joined[1] = true }
#endif
#else
    :: atomic { !joined[1] ->
#ifdef JOIN_BEHIND          /* fault: joins at what is not cleaned yet */
        position[1] = cleaned;
        next[2] = ANY; next[3] = ANY;
#else
        position[1] = CONSUMED; /* of the other; where there is none, released */
        next[2] = (counted[0] -> next[0] : ANY); next[3] = (counted[0] -> next[1] : ANY);
#endif
        counted[1] = true; joined[1] = true }
#endif
#endif
#ifdef LEAVE                /* the first subscriber goes, at any time */
    :: atomic { counted[0] -> release(); counted[0] = false; joined[0] = false }
    :: atomic { NOBODY && limit > released -> limit = released }
    :: atomic { NOBODY && released < TAIL && COMMITTED(word[AT(released)]) ->
        assert(stamp[AT(released)] == released);
        released = released + LENGTH(word[AT(released)]) }
#endif
    od
}

proctype reader(byte r) {
    byte w, number, from;
end:
    do
    :: atomic { joined[r] && COMMITTED(word[AT(position[r])]) ->
        w = word[AT(position[r])];
        assert(stamp[AT(position[r])] == position[r]);      /* not stale */
        if
        :: (w & PAD) == 0 ->
            checkBody(position[r], w);
            number = NUMBER(body[AT(position[r])]);
            from = 2 * r + OWNER(body[AT(position[r])]);
            assert(next[from] == ANY || next[from] == number);  /* not lost, nor again */
            next[from] = number + 1
        :: else
        fi;
        position[r] = position[r] + LENGTH(w);
        assert(position[r] <= TAIL);
        w = 0; number = 0; from = 0 }
    od
}

#ifdef SENT
#ifdef SEND_CLAIMED         /* fault: the sign is not looked at */
#define IS_SENDABLE(w) ((w) != 0)
#else
#define IS_SENDABLE(w) COMMITTED(w)
#endif

proctype sender() {
end:
    do
    :: atomic { IS_SENDABLE(word[AT(sent)]) && sent + LENGTH(word[AT(sent)]) <= credit + WINDOW ->
        assert(stamp[AT(sent)] == sent);
        sent = sent + LENGTH(word[AT(sent)]);
        assert(sent <= TAIL) }
    :: atomic { failures > 0 && sent > credit ->
        failures--;
        sent = credit }
    od
}

proctype wire() {
    byte w;
end:
    do
    :: atomic { credit < sent ->
        w = word[AT(credit)];
        assert(COMMITTED(w) && stamp[AT(credit)] == credit);
        if
        :: (w & PAD) == 0 -> checkBody(credit, w)
        :: else
        fi;
        credit = credit + LENGTH(w);
        release();
        limit = MAX(limit, LIMIT);
        w = 0 }
    od
}
#endif

/* Nothing more can happen: all that was committed has arrived, and nobody waits. */
active proctype atTheEnd() {
end:
    timeout ->
    assert(finished[0] || dead[0]);
    assert(PUBLISHERS == 1 || finished[PUBLISHERS - 1] || dead[PUBLISHERS - 1]);
    assert(!IS_FULL);
#ifdef SENT
    assert(sent == TAIL && credit == TAIL);
#else
    assert(!counted[0] || position[0] == TAIL && next[0] == committed[0]);
    assert(!counted[0] || PUBLISHERS == 1 || next[1] == committed[PUBLISHERS - 1]);
#endif
    assert(!counted[1] || position[1] == TAIL)
}

init {
    byte i;
    atomic {
        do
        :: i < SLOTS ->
            if
            :: i >= cleaned || !IS_CLEANED -> word[i] = 1; stamp[i] = i; body[i] = STALE
            :: else
            fi;
            i++
        :: else -> break
        od;
        word[AT(FIRST)] = 0;
        tailTerm[0] = 3;
        tailTerm[1] = 1; tailOffset[1] = TERM + 1;
        tailTerm[2] = 2; tailOffset[2] = TERM + 1;
        /* Also runs with fewer: a later one could cure what an earlier one has broken. */
        select(deaths : 0 .. DEATHS);
#ifdef SENT
        select(failures : 0 .. FAILURES);
        next[2] = ANY; next[3] = ANY;
        run sender(); run wire(); run reader(1);
#else
        counted[0] = true; joined[0] = true; position[0] = FIRST;
        run reader(0); run reader(1);
#endif
#ifdef ZEROES_AHEAD
        run exclusive(0, MESSAGES);
#else
        run publisher(0, MESSAGES, LONGEST);
#ifndef EXCLUSIVE
        run publisher(1, FEW, SHORTER);
#endif
#endif
        run conductor()
    }
}
