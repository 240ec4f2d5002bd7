// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.aeron;

import io.aeron.Publication;
import io.verbus.perf.load.Source;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.UnsafeBuffer;

/** A sending end of a stream on Aeron. */
final class AeronSource implements Source {
    private final Publication publication;
    private final AgentInvoker driver;
    private final AgentInvoker client;
    private final UnsafeBuffer message;

    AeronSource(Publication publication, AgentInvoker driver, AgentInvoker client, int length) {
        this.publication = publication;
        this.driver = driver;
        this.client = client;
        message =
                new UnsafeBuffer(
                        BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH));
    }

    @Override
    public boolean isConnected() {
        return publication.isConnected();
    }

    @Override
    public boolean send(long tag) {
        message.putLong(0, tag);
        long result = publication.offer(message, 0, message.capacity());
        if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
            throw new IllegalStateException("the publication cannot send any more: " + result);
        }
        return result > 0;
    }

    @Override
    public int poll() {
        return driver == null ? 0 : driver.invoke() + client.invoke();
    }
}
