// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import io.verbus.perf.load.Source;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.atomic.AtomicLong;

/** Copies a message repeatedly, each time to the next place in a large memory. */
final class MemoryCopy implements Source {
    private final UnsafeBuffer message;
    private final UnsafeBuffer memory;
    private final int length;
    private final int stride;
    private final int end;
    private int at;
    private long copied;
    private long taken;

    /**
     * Number of copies. Written by the copying thread at each poll; read by the counting thread.
     */
    private final AtomicLong shown = new AtomicLong();

    MemoryCopy(int length, int memoryLength) {
        this.length = length;
        stride = BitUtil.align(length, BitUtil.CACHE_LINE_LENGTH);
        end = memoryLength / stride * stride;
        message =
                new UnsafeBuffer(
                        BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH));
        memory =
                new UnsafeBuffer(
                        BufferUtil.allocateDirectAligned(memoryLength, BitUtil.CACHE_LINE_LENGTH));
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public boolean send(long tag) {
        message.putLong(0, tag);
        memory.putBytes(at, message, 0, length);
        at += stride;
        if (at == end) {
            at = 0;
        }
        copied++;
        return true;
    }

    @Override
    public int poll() {
        shown.lazySet(copied);
        return 0;
    }

    /** Returns the number of messages copied since the last call. */
    long takeCopied() {
        long now = shown.getAcquire();
        long count = now - taken;
        taken = now;
        return count;
    }
}
