// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.fabric;

/**
 * The data path of one reliable connection. Used by exactly one agent; never allocates, blocks or
 * locks, except as the device's doorbell requires.
 *
 * <p>Work requests are staged in preallocated memory and posted together. The queue pair decides
 * which are signaled, and counts the slots of its send queue, which never overflows if {@link
 * #free()} is respected.
 */
public interface QueuePair {
    /** Returns the number of the queue pair on its device. */
    int number();

    /** Returns the maximum inline bytes of a work request; 0 if the device supports none. */
    int maxInline();

    /** Returns the maximum bytes of a write: the port's maximum message size. */
    long maxMessage();

    /**
     * Returns the number of work requests that can be staged now: the send queue's depth minus the
     * outstanding requests.
     */
    int free();

    /**
     * Returns whether {@link #stageSend} may be called: the peer has room for a message, and this
     * side may send. The accepting side of an iWARP connection may not send first.
     */
    boolean canSend();

    /**
     * Stages an RDMA Write of one piece of local memory. The memory must not change until the write
     * has completed, or until {@link #post} returns if it has at most {@link #maxInline} bytes.
     *
     * @param address address of the first local byte.
     * @param length length in bytes; may be 0.
     * @param key key of the local region.
     * @param remoteAddress address of the first byte in the peer's region.
     * @param remoteKey key of the peer's region.
     */
    void stageWrite(
            long address, int length, LocalKey key, long remoteAddress, RemoteKey remoteKey);

    /**
     * Stages an RDMA Write that gathers two pieces of local memory into one remote range. They must
     * not change until the write has completed, or until {@link #post} returns if they have at most
     * {@link #maxInline} bytes together.
     *
     * @param address1 address of the first piece.
     * @param length1 length of the first piece in bytes, greater than 0.
     * @param key1 key of the first piece's region.
     * @param address2 address of the second piece.
     * @param length2 length of the second piece in bytes, greater than 0.
     * @param key2 key of the second piece's region.
     * @param remoteAddress address of the first byte in the peer's region.
     * @param remoteKey key of the peer's region.
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
     * @param address address of the first byte.
     * @param length length in bytes.
     * @param key key of the local region.
     */
    void stageSend(long address, int length, LocalKey key);

    /**
     * Requests an answer from the peer: stages an empty work request or, if {@link #free()} is 0,
     * uses a staged or outstanding request as the question. Must be posted signaled, and not be
     * called again before the answer has arrived.
     *
     * @return the number that {@link #answered()} reaches only once the answer has arrived.
     */
    long stageProbe();

    /**
     * Posts the staged work requests in order: as one list, or one by one if that saves the device
     * a memory read.
     *
     * @param signaled whether to signal the last work request, so that {@link #completed()} is sure
     *     to reach it; otherwise only every n-th is signaled.
     * @return the total number of work requests posted on this connection; all of them are complete
     *     when {@link #completed()} reaches it.
     */
    long post(boolean signaled);

    /** Returns the number of completed work requests, counted as {@link #post} does. */
    long completed();

    /**
     * Returns the number of work requests that the peer has answered, counted as {@link #post}
     * does. On InfiniBand and RoCE these are the completed ones, because the peer's device
     * acknowledges them. Over TCP a work request completes when it is on its way, so only answers
     * to {@link #stageProbe} count, which the peer gives when it polls.
     */
    long answered();

    /**
     * Returns whether the peer's device acknowledges every work request, so that {@link
     * #answered()} counts all of them.
     */
    default boolean isAcknowledged() {
        return true;
    }

    /**
     * Polls the completion queues once, passes each received message to the handler and posts its
     * buffer again.
     *
     * @param handler handler of messages and of failure.
     * @return the number of completions found.
     */
    int poll(Handler handler);

    /** Handles the results of {@link #poll}. Called on the polling thread. */
    interface Handler {
        /**
         * Called when a control message has arrived. The bytes come from the peer: validate them
         * before use.
         *
         * @param address address of the first byte; valid during the call only.
         * @param length length in bytes.
         */
        void onMessage(long address, int length);

        /**
         * Called once, when the queue pair has failed. Nothing more will complete on it, and work
         * requests not known to be complete may or may not have been carried out.
         *
         * @param reason description that includes the status reported by the device.
         */
        void onFailure(String reason);
    }
}
