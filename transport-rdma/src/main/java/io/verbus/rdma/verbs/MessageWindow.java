// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/**
 * What InfiniBand and RoCE do by themselves and iWARP does not: keep a sender waiting while its
 * peer has no receive posted, where a message would end an iWARP connection, and tell that the peer
 * is there, where iWARP completes whatever is on its way. Each message begins with a header:
 *
 * <pre>
 *   +--------------------+---------------+---------------+------------------------------+
 *   | grant, 64 bits     | asked, 32     | answer, 32    | message; none where only the |
 *   |                    |               |               | header has something to tell |
 *   +--------------------+---------------+---------------+------------------------------+
 *   grant    messages that its receiver may have sent since the connection was made
 *   asked    times that the sender has asked for an answer
 *   answer   asked, of the last header that the sender has seen
 * </pre>
 *
 * <p>A side grants what it has taken out and {@link #window} more, and sends a header of its own
 * when no message has told of half a window, of a question or of an answer. These are not granted,
 * and yet find a receive: between two headers that the peer has seen, at most two tell of grants,
 * for the peer has no more messages to cause a third; one asks, for the next question waits for the
 * answer; and one answers, for the peer asks no other. That is {@link #RESERVED}.
 *
 * <p>A peer that breaks this has no receive for what it sends, or for what it causes, and loses its
 * connection. One that answers what was not asked tells of itself only.
 *
 * <p>Used by the queue pair's agent.
 */
final class MessageWindow {
    static final int GRANT = 0;
    static final int ASKED = GRANT + Long.BYTES;
    static final int ANSWER = ASKED + Integer.BYTES;
    static final int HEADER_LENGTH = ANSWER + Integer.BYTES;

    /** Fewest receives that a queue pair with such a window can have. */
    static final int MIN_RECEIVES = 8;

    /** Messages that either side may send before it is told of a grant. */
    private static final int INITIAL = 4;

    /** Receives for headers without a message. */
    private static final int RESERVED = 4;

    private final long headers;
    private final int lkey;
    private final int sendDepth;
    private final int window;

    /** Whether this side may send: the side that connects must be the first. */
    private boolean mayBegin;

    private long sent;
    private long limit = INITIAL;
    private long taken;
    private long told = INITIAL;

    private boolean mustAsk;
    private int asked;
    private long askedBy;
    private long answered;

    private boolean mustAnswer;
    private int answer;

    /**
     * @param headers registered memory of {@link #memoryLength} bytes, 8-byte aligned.
     * @param lkey of it.
     * @param sendDepth most work requests outstanding.
     * @param receives posted, at least {@link #MIN_RECEIVES}.
     * @param isInitiator whether this side connects.
     */
    MessageWindow(long headers, int lkey, int sendDepth, int receives, boolean isInitiator) {
        this.headers = headers;
        this.lkey = lkey;
        this.sendDepth = sendDepth;
        this.window = receives - RESERVED;
        this.mayBegin = isInitiator;
    }

    static long memoryLength(int sendDepth) {
        return (long) sendDepth * HEADER_LENGTH;
    }

    /** Whether the peer has room for another message. */
    boolean isOpen() {
        return sent < limit;
    }

    /** Whether the peer must be told of something although there is no message for it. */
    boolean isDue() {
        return mustAnswer
                || mustAsk && mayBegin
                || taken > 0 && taken + window - told >= (window + 1) / 2;
    }

    /** A message is staged. */
    void onSend() {
        if (!isOpen()) {
            throw new IllegalStateException(
                    "the peer has room for " + limit + " messages so far: check canSend() first");
        }
        sent++;
    }

    /** A message was taken out, and its receive posted again. */
    void onTaken() {
        taken++;
    }

    /**
     * A header has arrived. A peer that grants more than it can take, or answers too early, harms
     * its connection only.
     *
     * @param address of the header.
     */
    void onHeader(long address) {
        mayBegin = true;
        limit = Math.max(limit, Memory.getLong(address + GRANT));
        int question = Memory.getInt(address + ASKED);
        if (question != answer) {
            answer = question;
            mustAnswer = true;
        }
        if (Memory.getInt(address + ANSWER) == asked) {
            answered = askedBy;
        }
    }

    /** The peer is to answer; not to be called again before it has. */
    void ask() {
        mustAsk = true;
    }

    /** Id of the work request whose question was the last that the peer has answered; 0 if none. */
    long answered() {
        return answered;
    }

    /**
     * Writes a header.
     *
     * @param id of the work request that carries it: its memory is free again when that completes.
     * @return its address.
     */
    long header(long id) {
        if (mustAsk) {
            mustAsk = false;
            asked++;
            askedBy = id;
        }
        mustAnswer = false;
        told = taken + window;
        long address = headers + id % sendDepth * HEADER_LENGTH;
        Memory.putLong(address + GRANT, told);
        Memory.putInt(address + ASKED, asked);
        Memory.putInt(address + ANSWER, answer);
        return address;
    }

    /** Names the memory of the headers. */
    int lkey() {
        return lkey;
    }
}
