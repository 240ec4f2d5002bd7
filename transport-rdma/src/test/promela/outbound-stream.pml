/* SPDX-License-Identifier: Apache-2.0
 *
 * The states of one stream at A, over one connection after another, and the messages about them. Each GO
 * is a row of the table in docs/protocol/states.md, "A's stream over a connection", and of the enum StreamState; a
 * test compares the three. remote-log.pml models the data.
 *
 *   A  offers the stream, handles B's messages, ends it
 *   B  answers: accepts, defers, rejects, moves, closes
 *
 * Any message of one side may cross any of the other. Bounds: failures of the connection, each of B's
 * decisions, and one end, drop or corrupt log at A.
 */

#ifndef FAILURES
#define FAILURES 2
#endif

mtype = { OFFER_DUE, OFFERED, DEFERRED, REFUSED, ACTIVE, ANSWER_DUE, LEAVING, BROKEN, CLOSE_DUE, CLOSED,
    ANSWERED, DELIVERED, GONE };                        /* the stream at A */
mtype = { NONE, HELD, GIVEN_UP, OPEN, MOVING, ABANDONED, CLOSING };     /* the image, as A and B know it */
mtype = { SETUP, RESUME, CLOSE };                       /* messages of A */
mtype = { ACCEPT, DEFER, WANTED, REJECT, NO_IMAGE, AGAIN, IMAGE_CLOSED };       /* of B */

chan toB = [4] of { mtype };
chan toA = [4] of { mtype };

mtype s = OFFER_DUE;
mtype image = NONE;         /* as A knows it */
bool ending;                /* the publication is closed */
bool corrupt;
bool up = true;             /* A uses the connection */
bool upAtB = true;
bool arrived;               /* B has received Close, and reads it even if the connection ends */

mtype b = NONE;             /* B's image */
bool subscribed;
bool deferred;              /* B owes an answer, or Wanted */
bool waits;                 /* for an older connection, which carries the image */
bool fresh;                 /* as waits, but the offer is for a new image */
bool told;                  /* B has sent ImageClosed for the image that is CLOSING */

byte failures = FAILURES, drops = 1, corruptions = 1;
byte changes = 3, rejections = 1, moves = 2;

/* A transition: possible in the state `from`. */
#define GO(from, event, to) s == from -> s = to

/* The receiver does not expect the message. */
#define VIOLATION assert(false)

/* A's end of the stream, unless it first asks B to resume the image. */
#define END_DUE (ending && image != HELD && image != MOVING)

#ifdef STRICT               /* fault: a message that crosses Close is taken for a violation */
#define IS_OVER (s == GONE)
#else
#define IS_OVER (s == BROKEN || s == CLOSE_DUE || s == CLOSED || s == ANSWERED || s == DELIVERED || s == GONE)
#endif

/* B does not write the credit slot, which A reuses. */
#define SLOT_IS_FREE assert(b != OPEN && b != MOVING)

inline crossed() {
    assert(IS_OVER)
}

inline onMessage(message) {
    if
    :: message == ACCEPT ->
        if
        :: GO(OFFERED, ACCEPT, ACTIVE); image = OPEN
        :: GO(DEFERRED, ACCEPT, ACTIVE); image = OPEN
        :: drops > 0 && GO(OFFERED, STALE_ACCEPT, LEAVING); drops--; image = ABANDONED
        :: drops > 0 && GO(DEFERRED, STALE_ACCEPT, LEAVING); drops--; image = ABANDONED
        :: s != OFFERED && s != DEFERRED -> crossed()
        fi
    :: message == DEFER ->
        if
        :: GO(OFFERED, DEFER, DEFERRED)
        :: s != OFFERED -> crossed()
        fi
    :: message == WANTED ->
        if
        :: GO(DEFERRED, WANTED, OFFER_DUE)
        :: s != DEFERRED -> crossed()
        fi
    :: message == REJECT || (message == NO_IMAGE && image == NONE) ->
        if
        :: GO(OFFERED, REJECT, REFUSED)
        :: GO(DEFERRED, REJECT, REFUSED)
        :: s != OFFERED && s != DEFERRED -> crossed()
        fi;
        if
        :: image == MOVING -> image = HELD
        :: else
        fi
    :: message == NO_IMAGE && image != NONE ->
        if
        :: GO(OFFERED, NO_IMAGE, OFFER_DUE); image = NONE
        :: GO(DEFERRED, NO_IMAGE, OFFER_DUE); image = NONE
        :: s != OFFERED && s != DEFERRED -> crossed()
        fi
    :: message == AGAIN ->
        if
        :: GO(ACTIVE, AGAIN, OFFER_DUE); image = MOVING
        :: GO(LEAVING, AGAIN, LEAVING)
        :: s != ACTIVE && s != LEAVING -> crossed()
        fi
    :: message == IMAGE_CLOSED ->
        if
        :: GO(ACTIVE, IMAGE_CLOSED, ANSWER_DUE); image = NONE
        :: GO(LEAVING, IMAGE_CLOSED, CLOSE_DUE); image = NONE
        :: GO(BROKEN, IMAGE_CLOSED, CLOSE_DUE); image = NONE
        :: GO(CLOSED, IMAGE_CLOSED, ANSWERED); image = NONE
        :: GO(DELIVERED, IMAGE_CLOSED, GONE); image = NONE; SLOT_IS_FREE
        :: s != ACTIVE && s != LEAVING && s != BROKEN && s != CLOSED && s != DELIVERED -> crossed()
        fi
    fi
}

/* The connection is lost. A knows whether Close has arrived. */
inline disconnect() {
    if
    :: s == DELIVERED || s == GONE -> image = NONE
    :: s != DELIVERED && s != GONE && (image == OPEN || image == MOVING) -> image = HELD
    :: else
    fi;
    if
    :: GO(OFFER_DUE, DISCONNECT, GONE)
    :: GO(OFFERED, DISCONNECT, GONE)
    :: GO(DEFERRED, DISCONNECT, GONE)
    :: GO(REFUSED, DISCONNECT, GONE)
    :: GO(ACTIVE, DISCONNECT, GONE)
    :: GO(ANSWER_DUE, DISCONNECT, GONE)
    :: GO(LEAVING, DISCONNECT, GONE)
    :: GO(BROKEN, DISCONNECT, GONE)
    :: GO(CLOSE_DUE, DISCONNECT, GONE)
    :: GO(CLOSED, DISCONNECT, GONE)
    :: GO(ANSWERED, DISCONNECT, GONE)
    :: GO(DELIVERED, DISCONNECT, GONE)
    :: GO(GONE, DISCONNECT, GONE)
    fi;
    up = false
}

/* The stream continues with another transfer. */
#define CONTINUES (!corrupt && (!ending || image == HELD))

active proctype A() {
    mtype message;
end:
    do
    :: atomic { up && nempty(toA) -> toA?message; onMessage(message); message = 0 }
    :: atomic { up && !END_DUE && nfull(toB) && GO(OFFER_DUE, SETUP, OFFERED);
        if
        :: image == NONE -> toB!SETUP
        :: else -> toB!RESUME
        fi }
    :: atomic { up && (END_DUE || image == HELD && drops > 0) && GO(OFFER_DUE, SKIP, ANSWERED);
        image = NONE }      /* it ends, or the log for the image has been reused */
    :: atomic { up && END_DUE && GO(REFUSED, SKIP, ANSWERED); image = NONE }
    :: atomic { up && !END_DUE && GO(REFUSED, RETRY, OFFER_DUE) }
    :: atomic { up && drops > 0 && GO(ACTIVE, DROP, LEAVING); drops--; image = ABANDONED }
    :: atomic { up && corruptions > 0 && GO(ACTIVE, CORRUPT, BROKEN);
        corruptions--; corrupt = true; image = ABANDONED }
    :: atomic { up && END_DUE && nfull(toB) && GO(OFFERED, CLOSE, CLOSED); toB!CLOSE }
    :: atomic { up && END_DUE && nfull(toB) && GO(DEFERRED, CLOSE, CLOSED); toB!CLOSE }
    :: atomic { up && ending && nfull(toB) && GO(ACTIVE, CLOSE, CLOSED); toB!CLOSE }
    :: atomic { up && nfull(toB) && GO(LEAVING, CLOSE, CLOSED); toB!CLOSE }
    :: atomic { up && nfull(toB) && GO(BROKEN, CLOSE, CLOSED); toB!CLOSE }
    :: atomic { up && nfull(toB) && GO(CLOSE_DUE, CLOSE, ANSWERED); toB!CLOSE }
    :: atomic { up && !ending && nfull(toB) && GO(ANSWER_DUE, SETUP, OFFERED); toB!SETUP }
#ifdef SKIP_ANSWER          /* fault: nothing is sent, although B waits */
    :: atomic { up && ending && GO(ANSWER_DUE, CLOSE, ANSWERED) }
#else
    :: atomic { up && ending && nfull(toB) && GO(ANSWER_DUE, CLOSE, ANSWERED); toB!CLOSE }
#endif
    :: atomic { up && GO(CLOSED, ARRIVED, DELIVERED); arrived = true }
    :: atomic { up && GO(ANSWERED, ARRIVED, GONE); arrived = true; SLOT_IS_FREE }
    :: atomic { up && failures > 0 -> failures--; disconnect() }
    :: atomic { !ending -> ending = true }
    :: atomic { image == HELD && up && s != CLOSED -> image = GIVEN_UP }
    /* Another transfer: on the next connection, or after a drop. */
    :: atomic { !up && !upAtB ->
        up = true; upAtB = true; arrived = false;
        if
        :: CONTINUES -> s = OFFER_DUE;
            if
            :: image == ABANDONED -> image = NONE
            :: else
            fi
        :: else
        fi }
    :: atomic { up && s == GONE && CONTINUES && image == NONE && !ending -> s = OFFER_DUE; arrived = false }
    od
}

/* Answers an offer of a new image. */
inline answer() {
    if
    :: subscribed && nfull(toA) -> toA!ACCEPT; b = OPEN
    :: subscribed && len(toA) <= 2 && changes > 0 -> /* closed while it is being registered */
        changes--; toA!DEFER; toA!WANTED; b = NONE
    :: !subscribed && nfull(toA) -> toA!DEFER; deferred = true; b = NONE
    :: changes > 0 && nfull(toA) -> /* an older connection still carries the stream */
        changes--; toA!DEFER; deferred = true; fresh = true; b = NONE
    :: rejections > 0 && nfull(toA) -> rejections--; toA!REJECT; b = NONE
    fi
}

/* Answers an offer to resume the image. */
inline resume() {
    if
    :: b == HELD && nfull(toA) -> toA!ACCEPT; b = OPEN
    :: b == HELD && rejections > 0 && nfull(toA) -> rejections--; toA!REJECT
    :: b == HELD && nfull(toA) -> toA!DEFER; deferred = true; waits = true
    :: b != HELD && nfull(toA) -> toA!NO_IMAGE
    fi
}

inline onClose() {
    deferred = false; waits = false; fresh = false;
    if
#ifdef ANSWER_TWICE         /* fault: Close is answered though it is an answer itself */
    :: b == CLOSING -> b = NONE; toA!IMAGE_CLOSED
#else
    :: b == CLOSING && told -> b = NONE
#ifdef SILENT               /* fault: no answer, although ImageClosed was not sent */
    :: b == CLOSING && !told -> b = NONE
#else
    :: b == CLOSING && !told -> b = NONE; toA!IMAGE_CLOSED
#endif
#endif
    :: b == OPEN || b == MOVING -> b = NONE; toA!IMAGE_CLOSED
    :: b == NONE || b == HELD -> toA!IMAGE_CLOSED
    fi
}

active proctype B() {
end:
    do
    :: atomic { upAtB && nfull(toA) && toB?[SETUP] -> toB?SETUP;
        if
        :: deferred || b == OPEN || b == MOVING -> VIOLATION
        :: else -> answer()     /* an image that is HELD belongs to a stream with another token */
        fi }
    :: atomic { upAtB && nfull(toA) && toB?[RESUME] -> toB?RESUME;
        if
        :: deferred || b == OPEN -> VIOLATION
        :: b == MOVING && subscribed -> toA!ACCEPT; b = OPEN
        :: b == MOVING && rejections > 0 -> rejections--; toA!REJECT; b = HELD
        :: b == CLOSING -> b = NONE; toA!NO_IMAGE
        :: !deferred && (b == NONE || b == HELD) -> resume()
        fi }
    :: atomic { upAtB && nfull(toA) && toB?[CLOSE] -> toB?CLOSE; onClose() }
    :: atomic { up && upAtB && deferred && (waits || subscribed) && nfull(toA) ->
        if
        :: !waits || subscribed -> toA!WANTED
        :: fresh && subscribed -> toA!ACCEPT; b = OPEN
#ifdef DEFER_TWICE          /* fault: deferred again, because it closed while it was being registered */
        :: fresh && subscribed && len(toA) <= 2 -> toA!DEFER; toA!WANTED
#endif
        :: waits && b == HELD -> toA!ACCEPT; b = OPEN
        :: waits && b != HELD -> toA!NO_IMAGE
        fi;
        deferred = false; waits = false; fresh = false }
    :: atomic { up && upAtB && b == OPEN && moves > 0 && nfull(toA) -> moves--; toA!AGAIN; b = MOVING }
    :: atomic { changes > 0 && !subscribed -> changes--; subscribed = true }
    :: atomic { changes > 0 && subscribed && nfull(toA) -> changes--; subscribed = false;
        if
        :: b == OPEN && upAtB -> b = CLOSING; told = true; toA!IMAGE_CLOSED
        :: b == MOVING -> b = CLOSING; told = false
        :: b == HELD -> b = NONE
        :: else
        fi }
    :: atomic { b == HELD -> b = NONE }     /* nobody came back in time */
    /* The connection is lost: what has arrived is read, and the rest not. */
    :: atomic { upAtB && !up && (empty(toB) || !arrived) ->
        do
        :: nempty(toB) -> toB?_
        :: empty(toB) -> break
        od;
        do
        :: nempty(toA) -> toA?_
        :: empty(toA) -> break
        od;
        deferred = false; waits = false; fresh = false;
        if
        :: b == OPEN || b == MOVING -> b = HELD
        :: b == CLOSING -> b = NONE
        :: else
        fi;
        upAtB = false }
    /* B's answers to what it reads then are lost. */
    :: atomic { upAtB && !up && full(toA) -> toA?_ }
    od
}

/* Nothing more can happen: the stream has ended at both sides, and its credit slot is free. */
active proctype atTheEnd() {
end:
    timeout ->
    assert(up && s == GONE && b == NONE && !deferred)
}
