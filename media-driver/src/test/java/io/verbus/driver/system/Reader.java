// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.FragmentAssembler;
import io.verbus.Subscription;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.Header;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Reads one session of a stream and checks each message: number, length and every byte. The first
 * wrong one ends the polling thread with an {@link AssertionError}. For one thread.
 */
final class Reader implements FragmentHandler {
    private static final long UNKNOWN = -1;

    private final Script script;
    private final FragmentAssembler assembler = new FragmentAssembler(this);
    private final IdleStrategy idle = new BackoffIdleStrategy();
    private long next;
    private volatile long count;

    private Reader(Script script, long first) {
        this.script = script;
        this.next = first;
    }

    /** Reads a stream from its first message. */
    static Reader fromFirst(Script script) {
        return from(script, 0);
    }

    /** Reads a stream from a given message. */
    static Reader from(Script script, long first) {
        return new Reader(script, first);
    }

    /** Reads a stream that has started; none may be missing after the first message read. */
    static Reader fromAny(Script script) {
        return new Reader(script, UNKNOWN);
    }

    @Override
    public void onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        long number = header.reservedValue();
        if (next == UNKNOWN) {
            next = number;
        }
        if (number != next) {
            throw new AssertionError(
                    "message " + number + " came instead of " + next + " at " + where(header));
        }
        int expectedLength = script.length(number);
        if (length != expectedLength) {
            throw new AssertionError(
                    "message " + number + " has " + length + " bytes, not " + expectedLength);
        }
        check(buffer, offset, length, number, header);
        next = number + 1;
        count = count + 1;
    }

    private void check(DirectBuffer buffer, int offset, int length, long number, Header header) {
        UnsafeBuffer text = script.text();
        int from = script.offset(number);
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            if (buffer.getLong(offset + i) != text.getLong(from + i)) {
                throw corrupt(number, i, length, header);
            }
        }
        for (; i < length; i++) {
            if (buffer.getByte(offset + i) != text.getByte(from + i)) {
                throw corrupt(number, i, length, header);
            }
        }
    }

    private static AssertionError corrupt(long number, int at, int length, Header header) {
        return new AssertionError(
                "message "
                        + number
                        + " of "
                        + length
                        + " bytes is corrupt from byte "
                        + at
                        + " at "
                        + where(header));
    }

    private static String where(Header header) {
        return "session "
                + header.sessionId()
                + " stream "
                + header.streamId()
                + " position "
                + header.position();
    }

    /** Fragment handler to poll with. */
    FragmentHandler fragments() {
        return assembler;
    }

    /** Messages read. Any thread. */
    long count() {
        return count;
    }

    /** Number of the next expected message. */
    long next() {
        return next;
    }

    /** Polls until the given number of messages was read. */
    void read(Subscription subscription, long messages) {
        poll(subscription, messages + " messages", () -> count >= messages);
    }

    /** Offers and polls until the given number of messages was read since the first. */
    void exchange(Writer writer, Subscription subscription, long messages) {
        poll(
                subscription,
                messages + " messages",
                () -> {
                    if (writer.next() < messages) {
                        writer.offer();
                    }
                    return count >= messages;
                });
    }

    /** Polls until the condition holds, at most two minutes without a message. */
    void poll(Subscription subscription, String what, BooleanSupplier condition) {
        long patienceNs = TimeUnit.MINUTES.toNanos(2);
        long lastNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            int fragments = subscription.poll(assembler, 64);
            if (fragments > 0) {
                idle.reset();
                lastNs = System.nanoTime();
            } else {
                if (System.nanoTime() - lastNs > patienceNs) {
                    throw new AssertionError(
                            "nothing has come after "
                                    + count
                                    + " messages; awaited "
                                    + what
                                    + " from "
                                    + subscription);
                }
                idle.idle();
            }
        }
    }
}
