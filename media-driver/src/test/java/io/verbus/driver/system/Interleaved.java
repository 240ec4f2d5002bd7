// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.FragmentAssembler;
import io.verbus.Publication;
import io.verbus.Subscription;

import java.util.concurrent.TimeUnit;

/** Two publishers that share a session: each one's messages must arrive in order. */
final class Interleaved {
    /** Offset of the second publisher's numbers. */
    static final long SECOND = 1L << 40;

    private Interleaved() {}

    static void write(Publication publication, Script script, long first, int messages) {
        long end = first + messages;
        for (long number = first; number < end; ) {
            long result =
                    publication.offer(
                            script.text(), script.offset(number), script.length(number), number);
            if (result > 0) {
                number++;
            } else {
                Thread.yield();
            }
        }
    }

    static void read(Subscription subscription, Script script, int messagesOfEach) {
        long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
        Reader one = Reader.from(script, 0);
        Reader two = Reader.from(script, SECOND);
        FragmentAssembler handler =
                new FragmentAssembler(
                        (buffer, offset, length, header) ->
                                (header.reservedValue() < SECOND ? one : two)
                                        .onFragment(buffer, offset, length, header));
        while (one.count() < messagesOfEach || two.count() < messagesOfEach) {
            if (subscription.poll(handler, 64) == 0) {
                Thread.yield();
                if (System.nanoTime() - deadlineNs > 0) {
                    throw new AssertionError(
                            one.count() + " and " + two.count() + " messages have come only");
                }
            }
        }
    }
}
