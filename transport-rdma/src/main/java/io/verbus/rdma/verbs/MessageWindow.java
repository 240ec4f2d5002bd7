// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

/**
 * Flow control of messages for a fabric that has none. A sender on InfiniBand or RoCE is made to
 * wait while its peer has no receive posted; over iWARP such a message ends the connection. There
 * each message begins with a header, the number of messages that its receiver may have sent since
 * the connection was made:
 *
 * <pre>
 *   +--------------------+---------------------------------------+
 *   | grant, 64 bits     | message; none where only grant is told |
 *   +--------------------+---------------------------------------+
 * </pre>
 *
 * <p>A side grants what it has taken out and {@link #window} more, and tells so by a message of its
 * own when nothing else has told of half a window. Those are not counted: fewer than {@link
 * #RESERVED} can be on their way, for the peer needs the grant before it can cause the next.
 *
 * <p>Used by the queue pair's agent.
 */
final class MessageWindow {
    static final int HEADER_LENGTH = Long.BYTES;

    /** Fewest receives that a queue pair with such a window can have. */
    static final int MIN_RECEIVES = 8;

    /** Messages that either side may send before it is told of a grant. */
    private static final int INITIAL = 4;

    /** Receives for messages that only tell a grant. */
    private static final int RESERVED = 4;

    private final long headers;
    private final int lkey;
    private final int sendDepth;
    private final int window;
    private long sent;
    private long limit = INITIAL;
    private long taken;
    private long told = INITIAL;

    /**
     * @param headers registered memory of {@link #memoryLength} bytes, 8-byte aligned.
     * @param lkey of it.
     * @param sendDepth most work requests outstanding.
     * @param receives posted, at least {@link #MIN_RECEIVES}.
     */
    MessageWindow(long headers, int lkey, int sendDepth, int receives) {
        this.headers = headers;
        this.lkey = lkey;
        this.sendDepth = sendDepth;
        this.window = receives - RESERVED;
    }

    static long memoryLength(int sendDepth) {
        return (long) sendDepth * HEADER_LENGTH;
    }

    /** Whether the peer has room for another message. */
    boolean isOpen() {
        return sent < limit;
    }

    /**
     * Whether the peer must be told of a grant although there is no message for it. Not before it
     * has sent something: the side that connects must be the first.
     */
    boolean isDue() {
        return taken > 0 && taken + window - told >= (window + 1) / 2;
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

    /** A header has arrived. A peer that grants more than it can take harms its connection only. */
    void onGrant(long grant) {
        limit = Math.max(limit, grant);
    }

    /**
     * Writes a header.
     *
     * @param id of the work request that carries it: its memory is free again when that completes.
     * @return its address.
     */
    long header(long id) {
        long address = headers + id % sendDepth * HEADER_LENGTH;
        told = taken + window;
        Memory.putLong(address, told);
        return address;
    }

    /** Names the memory of the headers. */
    int lkey() {
        return lkey;
    }
}
