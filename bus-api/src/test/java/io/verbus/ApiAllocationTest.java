// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.BlockHandler;
import io.verbus.logbuffer.BufferClaim;
import io.verbus.logbuffer.ControlledFragmentHandler;
import io.verbus.logbuffer.DirectBufferVector;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.ReservedValueSupplier;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.management.ManagementFactory;
import java.util.Arrays;

class ApiAllocationTest {
    private static final int MESSAGES = 20_000;
    private static final int ROUNDS = 6;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[5000]);
    private final BufferClaim claim = new BufferClaim();
    private long messages;
    private long fragments;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sendsAndReceivesWithoutAllocating(boolean exclusive) {
        try (Stream stream = new Stream()) {
            Publication publication = stream.publication(exclusive);
            Subscription subscription = stream.subscription(ChannelUri.ipc().build());
            Image image = stream.image(subscription, 1, stream.counter(0));
            subscription.addImage(image);
            FragmentHandler assembler =
                    new FragmentAssembler((buffer, offset, length, header) -> messages++);
            ControlledFragmentHandler controlled =
                    (buffer, offset, length, header) -> {
                        fragments++;
                        return ControlledFragmentHandler.Action.COMMIT;
                    };
            stream.consumed(0, 0);

            assertNothingIsAllocated(
                    () -> run(stream, publication, subscription, image, assembler, controlled));
            assertTrue(messages > MESSAGES / 2, "messages " + messages);
            assertTrue(fragments > MESSAGES / 4, "fragments " + fragments);
        }
    }

    /**
     * Tolerates a few rounds in which the JVM itself allocates on this thread, as it does to
     * deoptimise.
     */
    private void assertNothingIsAllocated(Runnable round) {
        long[] rounds = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            round.run();
            rounds[i] = threads.getCurrentThreadAllocatedBytes() - before;
        }
        long least = Arrays.stream(rounds).min().getAsLong();
        assertEquals(0, least, () -> "bytes of each round: " + Arrays.toString(rounds));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void offersPartsAndBlocksWithoutAllocating(boolean exclusive) {
        try (Stream stream = new Stream();
                Stream other = new Stream()) {
            Publication publication = stream.publication(exclusive);
            ExclusivePublication copy = (ExclusivePublication) other.publication(true);
            Image image = stream.ipcImage();
            Image copied = other.ipcImage();
            DirectBufferVector[] vectors = {
                new DirectBufferVector(message, 0, 0), new DirectBufferVector(message, 0, 100)
            };
            ReservedValueSupplier supplier = (term, offset, length) -> fragments++;
            BlockHandler copying =
                    (buffer, offset, length, sessionId, termId) -> {
                        boolean isPadding = buffer.getShort(offset + FrameHeader.TYPE) == 0;
                        messages +=
                                isPadding
                                        ? copy.appendPadding(length - FrameHeader.LENGTH)
                                        : copy.offerBlock(buffer, offset, length);
                    };
            FragmentHandler skip = (buffer, offset, length, header) -> {};
            stream.consumed(0, 0);
            other.consumed(0, 0);
            assertNothingIsAllocated(
                    () -> {
                        long cleaned = image.position();
                        for (int i = 0; i < MESSAGES; i++) {
                            if ((i & 1) == 0) {
                                publication.offer(message, 0, i % 4000, message, 0, 8, supplier);
                            } else {
                                vectors[0].length(i % 4000);
                                publication.offer(vectors, supplier);
                            }
                            image.blockPoll(copying, 8192);
                            copied.poll(skip, 100);
                            stream.consumed(image.position(), cleaned);
                            other.consumed(copied.position(), cleaned);
                            cleaned = image.position();
                        }
                    });
            assertTrue(messages > MESSAGES / 2, "messages " + messages);
            assertTrue(fragments > MESSAGES, "fragments " + fragments);
            assertEquals(image.position(), copy.position());
        }
    }

    @Test
    void pollVariantsDoNotAllocate() {
        try (Stream stream = new Stream()) {
            Publication publication = stream.publication(true);
            Image image = stream.ipcImage();
            FragmentHandler count = (buffer, offset, length, header) -> fragments++;
            ControlledFragmentHandler controlled =
                    (buffer, offset, length, header) -> {
                        fragments++;
                        return ControlledFragmentHandler.Action.CONTINUE;
                    };
            BlockHandler blocks = (buffer, offset, length, sessionId, termId) -> messages++;
            stream.consumed(0, 0);
            assertNothingIsAllocated(
                    () -> {
                        long cleaned = image.position();
                        for (int i = 0; i < MESSAGES; i++) {
                            publication.offer(message, 0, i % 5000);
                            long position = image.position();
                            switch (i & 3) {
                                case 0 -> image.boundedPoll(count, position + 2048, 10);
                                case 1 -> image.boundedControlledPoll(controlled, position + 1, 10);
                                case 2 ->
                                        image.position(
                                                image.controlledPeek(
                                                        position, controlled, position + 4096));
                                default -> image.blockPoll(blocks, 8192);
                            }
                            stream.consumed(image.position(), cleaned);
                            cleaned = image.position();
                        }
                    });
            assertTrue(messages > MESSAGES / 5, "blocks " + messages);
            assertTrue(fragments > MESSAGES / 4, "fragments " + fragments);
        }
    }

    private void run(
            Stream stream,
            Publication publication,
            Subscription subscription,
            Image image,
            FragmentHandler assembler,
            ControlledFragmentHandler controlled) {
        long cleaned = image.position();
        for (int i = 0; i < MESSAGES; i++) {
            if ((i & 1) == 0) {
                publication.offer(message, 0, i % 5000);
            } else if (publication.tryClaim(i % 900, claim) > 0) {
                claim.commit();
            }
            if ((i & 2) == 0) {
                subscription.poll(assembler, 10);
            } else if ((i & 15) == 15) {
                subscription.controlledPoll(controlled, 10);
            }
            stream.consumed(image.position(), cleaned);
            cleaned = image.position();
        }
    }
}
