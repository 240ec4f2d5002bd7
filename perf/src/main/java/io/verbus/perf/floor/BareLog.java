// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.floor;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A log without a bus: memory as large as a log's, in which each message takes as many bytes as its
 * frame would. Only one word of the header is written: the message's number, counted from 1. The
 * writer stores this word last, and the reader polls it; words left over from an earlier lap
 * contain a different number. The writer stays at most two thirds of the memory ahead of the
 * reader.
 */
final class BareLog {
    private static final int PARTITIONS = 3;
    private static final int HEADER_LENGTH = 32;
    private static final int ALIGNMENT = 32;

    /** Longest message that is copied word by word, as the bus does. */
    private static final int MAX_COPIED_IN_WORDS = 64;

    private final int length;
    private final int stride;
    private final int end;
    private final long window;
    private final UnsafeBuffer memory;

    /** Number of messages read. Written by the reader occasionally; read by the writer. */
    private final AtomicLong read = new AtomicLong();

    /**
     * @param length message length in bytes.
     * @param termLength a third of the memory, in bytes.
     */
    BareLog(int length, int termLength) {
        this.length = length;
        stride = BitUtil.align(HEADER_LENGTH + length, ALIGNMENT);
        end = PARTITIONS * termLength / stride * stride;
        window = 2L * termLength / stride;
        memory =
                new UnsafeBuffer(
                        BufferUtil.allocateDirectAligned(
                                PARTITIONS * termLength, BitUtil.CACHE_LINE_LENGTH));
    }

    /** Receives the first two words of a message. */
    interface Handler {
        void onMessage(long first, long second);
    }

    /** Writing end, used by one thread. */
    final class Writer {
        private final UnsafeBuffer message =
                new UnsafeBuffer(
                        BufferUtil.allocateDirectAligned(
                                BitUtil.align(length, Long.BYTES), BitUtil.CACHE_LINE_LENGTH));
        private int at;
        private long written;
        private long limit = window;

        /**
         * Writes a message that begins with two words; returns false if the reader is too far
         * behind.
         */
        boolean write(long first, long second) {
            if (written >= limit) {
                limit = read.getAcquire() + window;
                if (written >= limit) {
                    return false;
                }
            }
            message.putLong(0, first);
            message.putLong(Long.BYTES, second);
            int to = at + HEADER_LENGTH;
            if (length > MAX_COPIED_IN_WORDS) {
                memory.putBytes(to, message, 0, length);
            } else {
                for (int i = 0; i < length; i += Long.BYTES) {
                    memory.putLong(to + i, message.getLong(i));
                }
            }
            written++;
            memory.putLongRelease(at, written);
            at = after(at);
            return true;
        }
    }

    /** Reading end, used by one thread. */
    final class Reader {
        private final Handler handler;
        private int at;
        private long next = 1;

        Reader(Handler handler) {
            this.handler = handler;
        }

        /** Reads up to {@code limit} messages; returns their number. */
        int poll(int limit) {
            return memory.getLongAcquire(at) == next ? deliver(limit) : 0;
        }

        private int deliver(int limit) {
            int count = 0;
            do {
                int from = at + HEADER_LENGTH;
                long first = memory.getLong(from);
                long second = memory.getLong(from + Long.BYTES);
                at = after(at);
                next++;
                count++;
                handler.onMessage(first, second);
            } while (count < limit && memory.getLongAcquire(at) == next);
            read.lazySet(next - 1);
            return count;
        }
    }

    private int after(int at) {
        int next = at + stride;
        return next == end ? 0 : next;
    }
}
