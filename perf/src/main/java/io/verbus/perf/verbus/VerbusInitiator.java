// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.verbus;

import io.verbus.ExclusivePublication;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.perf.load.Initiator;
import io.verbus.perf.load.ReplyHandler;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.UnsafeBuffer;

/** The sending end on Verbus. */
final class VerbusInitiator implements Initiator {
    private static final int FRAGMENT_LIMIT = 10;

    private final ExclusivePublication requests;
    private final Subscription replies;
    private final AgentInvoker driver;
    private final AgentInvoker client;
    private final UnsafeBuffer message;
    private final FragmentHandler onFragment;

    VerbusInitiator(
            ExclusivePublication requests,
            Subscription replies,
            AgentInvoker driver,
            AgentInvoker client,
            int length,
            ReplyHandler handler) {
        this.requests = requests;
        this.replies = replies;
        this.driver = driver;
        this.client = client;
        message =
                new UnsafeBuffer(
                        BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH));
        onFragment =
                (buffer, offset, fragmentLength, header) ->
                        handler.onReply(
                                buffer.getLong(offset), buffer.getLong(offset + Long.BYTES));
    }

    @Override
    public boolean isConnected() {
        return requests.isConnected() && replies.isConnected();
    }

    @Override
    public boolean send(long sequence, long time) {
        message.putLong(0, sequence);
        message.putLong(Long.BYTES, time);
        long result = requests.offer(message, 0, message.capacity());
        if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
            throw new IllegalStateException(
                    "the request publication cannot send any more: " + result);
        }
        return result > 0;
    }

    @Override
    public int poll() {
        if (driver != null) {
            driver.invoke();
            client.invoke();
        }
        return replies.poll(onFragment, FRAGMENT_LIMIT);
    }
}
