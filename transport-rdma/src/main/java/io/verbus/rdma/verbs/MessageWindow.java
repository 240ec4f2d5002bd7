// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/**
 * Gives iWARP two properties that InfiniBand and RoCE have. First, a sender waits while its peer
 * has no receive posted; on iWARP, a message that finds no receive ends the connection. Second, a
 * sender learns that its peer is alive; iWARP completes a request as soon as it has been sent. Each
 * message begins with a header:
 *
 * <pre>
 *   +--------------------+---------------+---------------+------------------------------+
 *   | grant, 64 bits     | asked, 32     | answer, 32    | message; absent if only the  |
 *   |                    |               |               | header has news              |
 *   +--------------------+---------------+---------------+------------------------------+
 *   grant    messages that its receiver may have sent since the connection was made
 *   asked    number of times that the sender has asked for an answer
 *   answer   value of asked in the last header that the sender has seen
 * </pre>
 *
 * <p>Each side grants as many messages as it has received, plus {@link #window}. It sends a header
 * without a message if no message has carried a due grant (half a window), question or answer. Such
 * headers need no grant, but always find a posted receive. Between two headers that the peer has
 * seen, this side sends at most two headers with grants, because the peer may not send enough
 * messages to cause a third; one with a question, because the next question waits for the answer;
 * and one with an answer, because the peer asks no further question. The sum is {@link #RESERVED}.
 *
 * <p>If a peer violates these rules, its messages, or the headers that it provokes, find no posted
 * receive, and it loses its connection. A peer that answers without being asked only affects
 * itself.
 *
 * <p>Used by the queue pair's agent.
 */
final class MessageWindow {
    static final int GRANT = 0;
    static final int ASKED = GRANT + Long.BYTES;
    static final int ANSWER = ASKED + Integer.BYTES;
    static final int HEADER_LENGTH = ANSWER + Integer.BYTES;

    /** Minimum number of receives of a queue pair with a window. */
    static final int MIN_RECEIVES = 8;

    /** Number of messages that either side may send before the first grant. */
    private static final int INITIAL = 4;

    /** Number of receives reserved for headers without a message. */
    private static final int RESERVED = 4;

    private final long headers;
    private final int lkey;
    private final int sendDepth;
    private final int window;

    /** Whether this side may start sending: the connecting side must send first. */
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
     * @param lkey key of that memory.
     * @param sendDepth maximum number of outstanding work requests.
     * @param receives number of posted receives, at least {@link #MIN_RECEIVES}.
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

    /** Returns whether this side may send another message, because the peer has room for it. */
    boolean isOpen() {
        return mayBegin && sent < limit;
    }

    /** Returns whether a header must be sent although there is no message. */
    boolean isDue() {
        return mustAnswer
                || mustAsk && mayBegin
                || taken > 0 && taken + window - told >= (window + 1) / 2;
    }

    /** Counts a staged message. */
    void onSend() {
        if (!isOpen()) {
            throw new IllegalStateException(
                    mayBegin
                            ? "the peer has room for "
                                    + limit
                                    + " messages so far: check canSend() first"
                            : "the connecting side must send first: check canSend() first");
        }
        sent++;
    }

    /** Counts a received message whose receive has been posted again. */
    void onTaken() {
        taken++;
    }

    /**
     * Reads a header. A peer that grants more than it can receive, or answers too early, only harms
     * its own connection.
     *
     * @param address address of the header.
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

    /** Requests an answer from the peer. Must not be called again before the answer has arrived. */
    void ask() {
        mustAsk = true;
    }

    /**
     * Returns the id of the work request that carried the last question that the peer has answered;
     * 0 if the peer has answered none.
     */
    long answered() {
        return answered;
    }

    /**
     * Writes a header.
     *
     * @param id id of the work request that carries the header; the header's memory is free again
     *     when the request completes.
     * @return the address of the header.
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

    /** Returns the key of the headers' memory. */
    int lkey() {
        return lkey;
    }
}
