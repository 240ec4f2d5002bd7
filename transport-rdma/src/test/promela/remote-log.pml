/* SPDX-License-Identifier: Apache-2.0
 *
 * The remote log: commit, credit and resume, for one stream from driver A to driver B. What it says
 * is in docs/protocol/model.md; what is checked, and with which faults, in the script `check` beside it.
 *
 * A position counts frames. A frame has two words, its first one (the length, which commits it) and
 * a body. The image's log is a ring of three terms; the word of frame p holds STAMP(p), so that what
 * an earlier lap or another publication has left there is told from what should be there.
 *
 *   A  sends batches of one or two frames, each as its work requests; takes credit; resumes
 *   B  answers SETUP, scans the image, grants credit, ends an image that was held for too long
 *   wire  lands what is in flight on a queue pair: work requests in order, words of one in any
 *   subscriber  reads what is at its position, at any time
 *   joiner  joins the live image and reads on, if JOIN is defined
 *
 * Bounds: FRAMES frames, FAILURES of a queue pair (noticed by either side, at any step), and one
 * restart of A or of B, or one image that is held for too long. All of it is finite, so that what
 * does not end well ends in a time-out. With JOIN nothing restarts, and no image is held too long.
 */

#ifndef TERM
#define TERM 2              /* frames */
#endif
#define SLOTS (3 * TERM)
#define FIRST SLOTS         /* the first lap is over: its frames still lie in the log */
#ifndef FRAMES
#define FRAMES 6
#endif
#define LAST (FIRST + FRAMES)
#ifndef FAILURES
#define FAILURES 2
#endif
#ifdef JOIN
#define OTHERS 0            /* restarts, and images held for too long */
#else
#define OTHERS 1
#endif
#ifdef WIDE_WINDOW          /* fault: three terms of credit */
#define WINDOW (3 * TERM)
#else
#define WINDOW (2 * TERM)
#endif

#define STAMP(publication, p) ((p) + 1 + 32 * (publication))
#define AT(p) ((p) % SLOTS)
#define QP(connection) ((connection) & 1)

/* Words of a batch [p, p + n), as bits of a work request. */
#define FIRST_WORD 1        /* of frame p */
#define BODY 2              /* of frame p */
#define NEXT_WORD 4         /* the first of frame p + 1 */
#define NEXT_BODY 8
#define ZERO 16             /* the first word of frame p + n, to be 0 */

/* B's memory: the image. Written by the wire, read by the subscriber and by B. */
byte word[SLOTS];
byte body[SLOTS];
bool image;                 /* there is one */
byte imageOf;               /* publication that it replicates */
byte imageToken;            /* with which it was offered */
byte consumed;              /* subscriber's position */

/* The subscriber that joins. */
bool counted;               /* its position counts: no more is granted than that */
bool joined;                /* it reads, from its position on */
byte joinedAt;              /* its position */
byte noted = FIRST;         /* the furthest position that B was about to grant */

#define LEAST(other) (joinedAt < (other) -> joinedAt : (other))
#define COUNTED (counted -> LEAST(consumed) : consumed)
#define UNREAD (joined -> LEAST(consumed) : consumed)

/* A's publication: 0, or 1 after A's restart. */
byte publication;
byte sent = FIRST;          /* sender position */
byte credit = FIRST;        /* consumption position as A knows it */
bool accepted = true;       /* B has an image, or had when the connection was lost */
byte token;                 /* of the publication, with which its next transfer is made */
byte offered;               /* of the transfer on the newest connection */

/* Connections are numbered; two may be there at once, an old and a new one, by parity. */
mtype = { GONE, OFFERED, ACTIVE, ACCEPT, NO_IMAGE };    /* three of the states in outbound-stream.pml */
mtype a = GONE;
byte connection;            /* A's newest */
bool atB[2];                /* B's end of the queue pair exists: what is in flight may land */
byte number[2];             /* its connection */
byte stampOf[2];            /* publication whose bytes are in flight */

/* In flight: work requests {p, n, words}, and the rest of the one that is landing. */
chan flight[2] = [5] of { byte, byte, byte };
byte p[2], n[2], words[2];

/* connection, publication, token, position, resuming */
chan setup = [3] of { byte, byte, byte, byte, bool };
chan answer = [3] of { mtype, byte, byte };     /* ACCEPT or NO_IMAGE, connection, start position */
chan grant = [1] of { byte, byte };             /* connection, consumption position */

byte failures, restarts, late;

/* A is at this end of the queue pair, so that nothing of it can be lost. */
#define A_HOLDS(q) (a != GONE && QP(connection) == (q))

inline forget(q) {
    words[q] = 0; p[q] = 0; n[q] = 0;
    do
    :: nempty(flight[q]) -> flight[q]?_,_,_
    :: empty(flight[q]) -> break
    od
}

/* B's end of a queue pair: from now on nothing of it lands. */
inline destroy(q) {
    atB[q] = false;
    forget(q)
}

/* The frame that a word at p replaces is one that was consumed, and A still holds what it sends. */
inline checkRoom(q, position) {
    assert(position < UNREAD + SLOTS);
    assert(stampOf[q] != publication || credit + WINDOW <= position + SLOTS)
}

proctype wire(byte q) {
end:
    do
    :: atomic { atB[q] && (words[q] != 0 || nempty(flight[q])) ->
        if
        :: words[q] == 0 -> flight[q]?p[q],n[q],words[q]
        :: else
        fi;
        if
        :: words[q] & FIRST_WORD -> words[q] = words[q] - FIRST_WORD;
            checkRoom(q, p[q]); word[AT(p[q])] = STAMP(stampOf[q], p[q])
        :: words[q] & BODY -> words[q] = words[q] - BODY;
            checkRoom(q, p[q]); body[AT(p[q])] = STAMP(stampOf[q], p[q])
        :: words[q] & NEXT_WORD -> words[q] = words[q] - NEXT_WORD;
            checkRoom(q, p[q] + 1); word[AT(p[q] + 1)] = STAMP(stampOf[q], p[q] + 1)
        :: words[q] & NEXT_BODY -> words[q] = words[q] - NEXT_BODY;
            checkRoom(q, p[q] + 1); body[AT(p[q] + 1)] = STAMP(stampOf[q], p[q] + 1)
        :: words[q] & ZERO -> words[q] = words[q] - ZERO;
            assert(p[q] + n[q] < UNREAD + SLOTS); word[AT(p[q] + n[q])] = 0
        fi;
        if
        :: words[q] == 0 && len(flight[q]) == 0 -> p[q] = 0; n[q] = 0
        :: words[q] != 0 || len(flight[q]) != 0
        fi }
    :: atomic { (words[q] != 0 || nempty(flight[q])) && !A_HOLDS(q) -> forget(q) }
    od
}

/* The commit rule. */
inline post(q, count) {
#ifdef NO_ZERO              /* fault: the word behind the batch stays what it was */
#define LAST_WORD 0
#else
#define LAST_WORD ZERO
#endif
#ifdef SINGLE_WR            /* fault: one work request for all */
    flight[q]!sent,count,(FIRST_WORD | BODY | (count == 2 -> NEXT_WORD | NEXT_BODY : 0) | LAST_WORD);
#else
    if
    :: (sent + count) % TERM == 0 -> /* the term ends: the zero goes ahead by itself */
#ifdef ZERO_AFTER           /* fault: it comes last */
        flight[q]!sent,count,(BODY | (count == 2 -> NEXT_WORD | NEXT_BODY : 0));
        flight[q]!sent,count,FIRST_WORD;
        flight[q]!sent,count,ZERO
#else
        if
        :: LAST_WORD != 0 -> flight[q]!sent,count,LAST_WORD
        :: else
        fi;
        flight[q]!sent,count,(BODY | (count == 2 -> NEXT_WORD | NEXT_BODY : 0));
        flight[q]!sent,count,FIRST_WORD
#endif
    :: else ->
        flight[q]!sent,count,(BODY | (count == 2 -> NEXT_WORD | NEXT_BODY : 0) | LAST_WORD);
        flight[q]!sent,count,FIRST_WORD
    fi;
#endif
    sent = sent + count
}

#define MAY_SEND(count) (a == ACTIVE && len(flight[QP(connection)]) <= 2 \
    && sent + count <= LAST && sent + count <= credit + WINDOW \
    && (sent % TERM) + count <= TERM)

active proctype A() {
    mtype kind;
    byte from, position;
end:
    do
    :: atomic { a == GONE && !atB[QP(connection + 1)] && nfull(setup) ->
        connection++;
        forget(QP(connection));
        atB[QP(connection)] = true;
        number[QP(connection)] = connection;
        stampOf[QP(connection)] = publication;
        offered = token;
        setup!connection,publication,offered,sent,accepted;
        a = OFFERED }
    :: atomic { nfull(setup) && nempty(answer) -> answer?kind,from,position;
        if
        :: from == connection && a == OFFERED && kind == ACCEPT ->
            /* A still holds everything from there. */
            assert(position >= (accepted -> credit : sent) && position <= sent);
#ifdef CREDIT_AT_FRONTIER   /* fault: what is there is taken for what was consumed */
            credit = position;
#else
            credit = (accepted -> credit : position);
#endif
#ifndef RESUME_AT_SENDER    /* fault: goes on where it was */
            sent = position;
#endif
            accepted = true;
            a = ACTIVE
        :: from == connection && a == OFFERED && kind == NO_IMAGE ->
            accepted = false;
#ifdef TOKEN_ANEW           /* fault: the publication has another, and the transfer goes on with its own */
            token++;
#endif
            setup!connection,publication,offered,sent,false
        :: else
        fi;
        kind = 0; from = 0; position = 0 }
    :: atomic { a != OFFERED && nempty(grant) -> /* it stays in the slot until then */
        grant?from,position;
        if
        :: from == connection && a == ACTIVE ->
            assert(position >= credit && position <= sent);
            credit = position
        :: else
        fi;
        from = 0; position = 0 }
    :: atomic { MAY_SEND(1) -> post(QP(connection), 1) }
    :: atomic { MAY_SEND(2) -> post(QP(connection), 2) }
    :: atomic { a != GONE && failures > 0 -> failures--; a = GONE }
    :: atomic { a != GONE && !(atB[QP(connection)] && number[QP(connection)] == connection) ->
        a = GONE }
    :: atomic { restarts > 0 -> /* a new driver, and a new publication */
        restarts--;
        publication = 1; sent = FIRST; credit = FIRST; accepted = false;
        a = GONE }
    od
}

/* From the consumed position to the frontier: the first word that is zero. */
inline scan(position) {
    position = COUNTED;
    do
    :: word[AT(position)] != 0 && position < COUNTED + SLOTS -> position++
    :: else -> break
    od
}

inline emptyImage(which, with, position) {
    image = true; imageOf = which; imageToken = with; consumed = position;
    d_step {
        i = 0;
        do
        :: i < SLOTS -> word[i] = 0; body[i] = 0; i++
        :: else -> i = 0; break
        od
    }
}

/* The connection over which B grants credit stands. */
#define SERVED (serving != 0 && atB[QP(serving)] && number[QP(serving)] == serving)

active proctype B() {
    byte from, new, with, position, i;
    bool resuming;
    byte serving;           /* connection over which credit is granted; 0 if none */
    byte granted = FIRST;
    bool owed;              /* what was granted last may not have arrived */
end:
    do
    :: atomic { counted == joined && nempty(setup) -> /* the conductor, which lets subscribers join */
        setup?new,from,with,position,resuming;
        if
        :: atB[QP(new)] && number[QP(new)] == new ->
#ifndef SCAN_FIRST          /* fault: the old queue pair lives on while the image is scanned */
            destroy(QP(new + 1));
#endif
            if
#ifdef RESUME_OTHERS        /* fault: whatever image is there is gone on with */
            :: image ->
#else
            :: image && imageOf == from && imageToken == with ->
#endif
                scan(position);
                answer!ACCEPT,new,position;
                serving = new; owed = true
            :: else ->
                if
                :: resuming ->
                    assert(!(image && imageOf == from));    /* what is held is gone on with */
                    answer!NO_IMAGE,new,0
                :: !resuming ->
                    emptyImage(from, with, position);
                    answer!ACCEPT,new,position;
                    serving = new; granted = position
                fi
            fi
        :: else
        fi;
        from = 0; with = 0; position = 0; resuming = false };
#ifdef SCAN_FIRST
        atomic { destroy(QP(new + 1)) };
#endif
        new = 0
#ifdef JOIN                 /* the conductor's steps lie between the receiver's */
    :: atomic { SERVED && (owed || COUNTED > granted) && nfull(grant) ->
            position = (COUNTED > granted -> COUNTED : granted) };
        noted = (position > noted -> position : noted);
        atomic {
            if
#ifdef GRANT_BLIND          /* fault: the subscribers are not looked at again */
            :: SERVED ->
#else
            :: SERVED && COUNTED >= position ->
#endif
                grant!serving,position;
                granted = position; owed = false
            :: else
            fi;
            position = 0 }
#else
    :: atomic { SERVED && (owed || consumed > granted) && nfull(grant) ->
        grant!serving,consumed;
        granted = consumed; owed = false }
#endif
    :: atomic { late > 0 && image && !SERVED -> /* nobody came back in time */
        late--;
        image = false }
    :: atomic { atB[0] && failures > 0 -> failures--; destroy(0) }
    :: atomic { atB[1] && failures > 0 -> failures--; destroy(1) }
    :: atomic { atB[0] && !A_HOLDS(0) -> destroy(0) }
    :: atomic { atB[1] && !A_HOLDS(1) -> destroy(1) }
    :: atomic { restarts > 0 -> /* a new driver, without images */
        restarts--;
        destroy(0); destroy(1);
        emptyImage(0, 0, 0); image = false;
        serving = 0; granted = 0; owed = false }
    od
}

active proctype subscriber() {
end:
    do
    :: atomic { image && word[AT(consumed)] != 0 ->
        assert(word[AT(consumed)] == STAMP(imageOf, consumed));     /* not stale, nor again */
        assert(body[AT(consumed)] == STAMP(imageOf, consumed));     /* not torn */
        consumed++ }
    od
}

#ifdef JOIN
active proctype joiner() {
    byte seen;
#ifdef JOIN_LAST            /* fault: it counts when it has chosen */
    atomic { joinedAt = consumed; seen = noted };
    joinedAt = (seen > joinedAt -> seen : joinedAt);
    counted = true;
#else
    joinedAt = consumed;    /* the least of those that count */
    counted = true;
#ifndef JOIN_BLIND          /* fault: it does not look at what is granted */
    seen = noted;
    joinedAt = (seen > joinedAt -> seen : joinedAt);
#endif
#endif
    seen = 0;
    joined = true;
end:
    do
    :: atomic { image && word[AT(joinedAt)] != 0 ->
        assert(word[AT(joinedAt)] == STAMP(imageOf, joinedAt));
        assert(body[AT(joinedAt)] == STAMP(imageOf, joinedAt));
        joinedAt++ }
    od
}
#endif

/* Nothing more can happen: everything must have arrived, and A must know. */
active proctype atTheEnd() {
end:
    timeout ->
    assert(image && imageOf == publication && consumed == LAST && sent == LAST && credit == LAST);
    assert(!joined || joinedAt == LAST)
}

init {
    byte i;
    atomic {
        do
        :: i < SLOTS -> word[i] = STAMP(0, i); body[i] = STAMP(0, i); i++
        :: else -> break
        od;
        word[AT(FIRST)] = 0;
        image = true; imageOf = 0; consumed = FIRST;
        /* Also runs with fewer: a later failure could cure what an earlier one has broken. */
        select(failures : 0 .. FAILURES);
        select(restarts : 0 .. OTHERS);
        select(late : 0 .. OTHERS - restarts);
        run wire(0); run wire(1)
    }
}
