// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.Publication;
import io.verbus.Subscription;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** Streams whose messages start with a number. One thread. */
public final class Numbers {
    private static final int FRAGMENT_LIMIT = 10;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[8192]);

    /** Offers a number once; returns whether it was accepted. */
    public boolean tryOffer(Publication publication, long number, int length) {
        return result(publication, number, length) > 0;
    }

    /** Offers a number once; returns the publication's result. */
    public long result(Publication publication, long number, int length) {
        message.putLong(0, number);
        return publication.offer(message, 0, length);
    }

    /** Offers a number until it is accepted. */
    public void offer(Publication publication, long number, int length) {
        Await.until("offered", () -> tryOffer(publication, number, length));
    }

    /** Offers without receivers, as often as would fill any window: nothing is accepted. */
    public void offerToNobody(Publication publication, int length) {
        long position = publication.position();
        for (int i = 0; i < 10_000; i++) {
            assertEquals(Publication.NOT_CONNECTED, result(publication, -1, length));
        }
        assertEquals(position, publication.position());
    }

    /** Offers the numbers of a range, each until it is accepted. */
    public void offer(Publication publication, long from, long to, int length) {
        for (long number = from; number < to; number++) {
            offer(publication, number, length);
        }
    }

    /** Reads the available messages, and adds their numbers to the list. */
    public static void poll(Subscription subscription, List<Long> numbers) {
        poll(subscription, numbers, FRAGMENT_LIMIT);
    }

    public static void poll(Subscription subscription, List<Long> numbers, int limit) {
        subscription.poll(
                (buffer, offset, length, header) -> numbers.add(buffer.getLong(offset)), limit);
    }

    /** Reads and discards the available messages. */
    public static void discard(Subscription subscription) {
        subscription.poll((buffer, offset, length, header) -> {}, FRAGMENT_LIMIT);
    }

    /** Reads at least the given number of messages. */
    public static List<Long> drain(Subscription subscription, int count) {
        List<Long> numbers = new ArrayList<>();
        Await.until(
                count + " messages",
                () -> {
                    poll(subscription, numbers);
                    return numbers.size() >= count;
                });
        return numbers;
    }

    /**
     * Reads up to a number that is seen for the first time. Another subscriber may have read what
     * precedes the range.
     */
    public static void drainRange(Subscription subscription, long from, long to) {
        List<Long> numbers = new ArrayList<>();
        Await.until(
                "the number " + (to - 1),
                () -> {
                    poll(subscription, numbers);
                    return numbers.contains(to - 1);
                });
        assertEquals(range(numbers.getFirst(), to), numbers);
        assertTrue(numbers.getFirst() <= from);
    }

    public static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }
}
