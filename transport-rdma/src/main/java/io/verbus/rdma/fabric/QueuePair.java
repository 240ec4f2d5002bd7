// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * The data path of one reliable connection. Used by exactly one agent; nothing here allocates,
 * blocks or locks, but for what the device's doorbell itself needs.
 *
 * <p>Work requests are staged into preallocated memory and posted together. The queue pair decides
 * which are signaled, and counts the slots of its send queue: {@link #free()} never lets more be
 * outstanding than the queue holds.
 */
public interface QueuePair {
    /** Number of the queue pair on its device. */
    int number();

    /** Most bytes that a work request can carry inline; 0 where the device offers none. */
    int maxInline();

    /** Most bytes of a write: what the port carries in one message. */
    long maxMessage();

    /** Work requests that can be staged now: the send queue's depth less what is outstanding. */
    int free();

    /** Whether the peer has room for a message: {@link #stageSend} may be called. */
    boolean canSend();

    /**
     * Stages an RDMA Write of one piece of local memory, which must not change until it has
     * completed, or only until {@link #post} returns if it has at most {@link #maxInline} bytes.
     *
     * @param address of the first local byte.
     * @param length in bytes; 0 is allowed.
     * @param key of the local region.
     * @param remoteAddress of the first byte in the peer's region.
     * @param remoteKey of the peer's region.
     */
    void stageWrite(
            long address, int length, LocalKey key, long remoteAddress, RemoteKey remoteKey);

    /**
     * Stages an RDMA Write that gathers two pieces of local memory into one remote range. They must
     * not change until it has completed, or may at once if they have at most {@link #maxInline}
     * bytes together.
     *
     * @param address1 of the first piece.
     * @param length1 of the first piece in bytes, more than 0.
     * @param key1 of the first piece's region.
     * @param address2 of the second piece.
     * @param length2 of the second piece in bytes, more than 0.
     * @param key2 of the second piece's region.
     * @param remoteAddress of the first byte in the peer's region.
     * @param remoteKey of the peer's region.
     */
    void stageWrite(
            long address1,
            int length1,
            LocalKey key1,
            long address2,
            int length2,
            LocalKey key2,
            long remoteAddress,
            RemoteKey remoteKey);

    /**
     * Stages a send of a control message. The memory must not change until it has completed.
     *
     * @param address of the first byte.
     * @param length in bytes.
     * @param key of the local region.
     */
    void stageSend(long address, int length, LocalKey key);

    /**
     * Asks the peer to answer: stages a work request of no bytes or, if {@link #free()} is 0, takes
     * what is staged or outstanding for the question. To be posted signaled, and not to be called
     * again before the answer has come.
     *
     * @return the count that {@link #answered()} reaches with the answer, and not without one.
     */
    long stageProbe();

    /**
     * Posts what is staged, in order: as one list, or one by one where that spares the device a
     * read of memory.
     *
     * @param signaled whether the last work request must be signaled, so that {@link #completed()}
     *     is sure to reach it; otherwise only every n-th is.
     * @return the count of work requests posted since the connection was made, these included: when
     *     {@link #completed()} has reached it, they have all been carried out.
     */
    long post(boolean signaled);

    /** Work requests known to be complete, counted as {@link #post} counts them. */
    long completed();

    /**
     * Work requests that the peer has answered since, counted as {@link #post} counts them. On
     * InfiniBand and RoCE what is complete, because the peer's device acknowledges it. Over TCP a
     * work request completes when it is on its way: there only an answer to {@link #stageProbe}
     * counts, which the peer gives when it polls.
     */
    long answered();

    /**
     * Polls the completion queues once, hands each received message over and posts its buffer
     * again.
     *
     * @param handler of messages and of failure.
     * @return the number of completions found.
     */
    int poll(Handler handler);

    /** What {@link #poll} finds. Called on the polling thread. */
    interface Handler {
        /**
         * A control message has arrived. The bytes are the peer's: check each before use.
         *
         * @param address of the first byte; valid during the call only.
         * @param length in bytes.
         */
        void onMessage(long address, int length);

        /**
         * The queue pair has failed: nothing more will complete on it, and what was not yet known
         * to be complete may or may not have been carried out. Called once.
         *
         * @param reason in words, with the status that the device gave.
         */
        void onFailure(String reason);
    }
}
