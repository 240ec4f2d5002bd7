// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import io.verbus.rdma.fabric.LocalKey;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RemoteKey;

/** The data path of one connection: posts, polls and counts. Used by one agent. */
final class VerbsQueuePair implements QueuePair {
    /** Maximum number of control messages per poll. */
    private static final int RECEIVE_BURST = 16;

    /**
     * Number of polls after which to check for completions although none is due, because failed
     * requests complete even if they are not signaled.
     */
    private static final int POLLS_PER_LOOK = 64;

    private final int number;
    private final long maxMessage;
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Completions sendCompletions;
    private final Completions receiveCompletions;
    private final FailureText words;

    /** Flow control for messages, or null if the fabric provides it. */
    private final MessageWindow window;

    /** Number of polls since the last check for completions. */
    private int unlooked;

    /** Reason for the queue pair's failure, or null. */
    private String failure;

    /** Whether only flushed requests have reported the failure. */
    private boolean isFlushed;

    /** Whether the failure was reported, or the connection closed. */
    private boolean hasEnded;

    VerbsQueuePair(
            int number,
            long maxMessage,
            SendQueue sends,
            ReceiveQueue receives,
            Completions sendCompletions,
            Completions receiveCompletions,
            FailureText words,
            MessageWindow window) {
        this.window = window;
        this.number = number;
        this.maxMessage = maxMessage;
        this.sends = sends;
        this.receives = receives;
        this.sendCompletions = sendCompletions;
        this.receiveCompletions = receiveCompletions;
        this.words = words;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public int maxInline() {
        return sends.maxInline();
    }

    @Override
    public long maxMessage() {
        return maxMessage;
    }

    @Override
    public int free() {
        return sends.free();
    }

    @Override
    public boolean canSend() {
        return window == null || window.isOpen();
    }

    @Override
    public void stageWrite(
            long address, int length, LocalKey key, long remoteAddress, RemoteKey remoteKey) {
        sends.stageWrite(address, length, key.value(), remoteAddress, remoteKey.value());
    }

    @Override
    public void stageWrite(
            long address1,
            int length1,
            LocalKey key1,
            long address2,
            int length2,
            LocalKey key2,
            long remoteAddress,
            RemoteKey remoteKey) {
        sends.stageWrite(
                address1,
                length1,
                key1.value(),
                address2,
                length2,
                key2.value(),
                remoteAddress,
                remoteKey.value());
    }

    @Override
    public void stageSend(long address, int length, LocalKey key) {
        if (window == null) {
            sends.stageSend(address, length, key.value());
        } else {
            window.onSend();
            stageWithHeader(address, length, key.value());
        }
    }

    private void stageWithHeader(long address, int length, int lkey) {
        long header = window.header(sends.nextId());
        sends.stageSend(header, window.lkey(), address, length, lkey);
    }

    /**
     * Stages an empty write, or on iWARP a question in a message header. On iWARP, a write
     * completes before the peer's device has confirmed it, and siw answers an empty read
     * incorrectly.
     */
    @Override
    public long stageProbe() {
        long id = sends.nextId();
        if (window != null) {
            window.ask();
            stageHeaderIfDue();
            return id;
        }
        if (sends.free() > 0) {
            sends.stageWrite(0, 0, 0, 0, 0);
            return id;
        }
        return sends.isAllPosted() ? sends.completed() + 1 : id - 1;
    }

    /**
     * Stages a header if one is due and there is room; if a due header has no room, a later poll or
     * message sends it. Returns whether a header was staged.
     */
    private boolean stageHeaderIfDue() {
        boolean can = window.isDue() && sends.free() > 0;
        if (can) {
            stageWithHeader(0, 0, 0);
        }
        return can;
    }

    @Override
    public long post(boolean signaled) {
        if (failure != null || hasEnded) {
            sends.discard();
            return sends.posted();
        }
        int errno = sends.post(signaled);
        if (errno != 0) {
            failure = words.call("ibv_post_send", errno);
        }
        return sends.posted();
    }

    @Override
    public long completed() {
        return sends.completed();
    }

    @Override
    public long answered() {
        return window == null ? sends.completed() : window.answered();
    }

    @Override
    public boolean isAcknowledged() {
        return window == null;
    }

    @Override
    public int poll(Handler handler) {
        if (hasEnded) {
            return 0;
        }
        int count = pollReceives(handler);
        if (sends.isCompletionDue() || sends.hasOutstanding() && isLookDue()) {
            count += pollSends();
        }
        if (window != null && sends.isAllPosted() && stageHeaderIfDue()) {
            post(false);
        }
        if (failure != null) {
            count += fail(handler);
        }
        return count;
    }

    /** Ends the queue pair when the connection is closed: the device is no longer used. */
    void end() {
        hasEnded = true;
    }

    /**
     * Returns whether to check for completions although none is due: periodically, and after a
     * failure in order to find the request that caused the other requests to be flushed.
     */
    private boolean isLookDue() {
        return failure != null || ++unlooked >= POLLS_PER_LOOK;
    }

    private int pollSends() {
        unlooked = 0;
        int count = sendCompletions.poll();
        if (count < 0) {
            failed(words.call("ibv_poll_cq", -count));
            return 0;
        }
        for (int i = 0; i < count; i++) {
            int status = sendCompletions.status(i);
            if (status != VerbsAbi.IBV_WC_SUCCESS) {
                failed("a write or send", status, sendCompletions.vendorError(i));
                return count;
            }
            sends.completedUpTo(sendCompletions.workRequestId(i));
        }
        return count;
    }

    private int pollReceives(Handler handler) {
        int count = 0;
        while (count < RECEIVE_BURST) {
            int found = receiveCompletions.poll();
            if (found == 0) {
                break;
            }
            if (found < 0) {
                failed(words.call("ibv_poll_cq", -found));
                break;
            }
            count++;
            int status = receiveCompletions.status(0);
            if (status != VerbsAbi.IBV_WC_SUCCESS) {
                failed("a receive", status, receiveCompletions.vendorError(0));
                break;
            }
            receive(handler);
        }
        return count;
    }

    private void receive(Handler handler) {
        long slot = receiveCompletions.workRequestId(0);
        int length = receiveCompletions.byteLength(0);
        try {
            if (window == null) {
                handler.onMessage(receives.address(slot), length);
            } else {
                handOver(receives.address(slot), length, handler);
            }
        } finally {
            int errno = receives.post(slot);
            if (errno != 0) {
                failed(words.call("ibv_post_recv", errno));
            }
        }
        if (window != null && length > MessageWindow.HEADER_LENGTH) {
            window.onTaken();
        }
    }

    private void handOver(long address, int length, Handler handler) {
        if (length < MessageWindow.HEADER_LENGTH) {
            failed(
                    "a message of "
                            + length
                            + " bytes is too short for a header: the peer is not a Verbus driver");
            return;
        }
        window.onHeader(address);
        if (length > MessageWindow.HEADER_LENGTH) {
            handler.onMessage(
                    address + MessageWindow.HEADER_LENGTH, length - MessageWindow.HEADER_LENGTH);
        }
    }

    /** Reports the failure once, after the messages that arrived before it. */
    private int fail(Handler handler) {
        int count = 0;
        int found;
        do {
            found = pollReceives(handler);
            count += found;
        } while (found == RECEIVE_BURST);
        hasEnded = true;
        handler.onFailure(failure);
        return count;
    }

    private void failed(String reason) {
        if (failure == null || isFlushed) {
            failure = reason;
            isFlushed = false;
        }
    }

    /**
     * Records a failed request. A flushed request only reports that an earlier request failed, so
     * the earlier request's status replaces it.
     */
    private void failed(String work, int status, int vendorError) {
        boolean flush = status == VerbsAbi.IBV_WC_WR_FLUSH_ERR;
        if (failure == null || isFlushed && !flush) {
            failure = words.completion(work, status, vendorError);
            isFlushed = flush;
        }
    }
}
