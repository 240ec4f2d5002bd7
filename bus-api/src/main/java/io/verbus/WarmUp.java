// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.channel.ChannelStatus;
import io.verbus.channel.ChannelUri;
import io.verbus.control.DestinationChange;
import io.verbus.logbuffer.ControlledFragmentHandler;
import io.verbus.logbuffer.ControlledFragmentHandler.Action;
import io.verbus.logbuffer.FragmentHandler;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogCleaner;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

import org.agrona.CloseHelper;
import org.agrona.LangUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;
import org.agrona.concurrent.status.UnsafeBufferPosition;

import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Exchanges messages within one thread, over two streams in private memory, so that the JIT
 * compiles the path from {@link Publication#offer} to the fragment handler. Apart from its two
 * handlers, uses the same types as a client with a driver, so that the JIT need not recompile the
 * path for such a client. Requests use an exclusive publication, and replies a concurrent
 * publication.
 */
final class WarmUp implements AutoCloseable {
    private static final int MESSAGE_LENGTH = 64;
    private static final int MTU = 1408;
    private static final int FRAGMENT_LIMIT = 10;
    private static final int ROUND_TRIPS_BETWEEN_LOOKS = 100;

    /** Every second poll finds nothing, like most polls of a spinning subscriber. */
    private static final int POLLS_PER_MESSAGE = 2;

    private final UnsafeBuffer message = new UnsafeBuffer(new byte[MESSAGE_LENGTH]);
    private final Loop requests = new Loop(true);
    private final Loop replies = new Loop(false);
    private final ControlledFragmentHandler onRequest =
            (buffer, offset, length, header) ->
                    replies.publication.offer(buffer, offset, length, 0) > 0
                            ? Action.CONTINUE
                            : Action.ABORT;
    private final FragmentHandler onReply = (buffer, offset, length, header) -> countReply();
    private long count;

    private WarmUp() {}

    /**
     * Exchanges messages.
     *
     * @param time time for which to run.
     * @return number of round trips.
     */
    static long run(Duration time) {
        if (time.isZero()) {
            return 0;
        }
        long start = System.nanoTime();
        try (WarmUp warmUp = new WarmUp()) {
            do {
                warmUp.exchange(ROUND_TRIPS_BETWEEN_LOOKS);
            } while (time.compareTo(Duration.ofNanos(System.nanoTime() - start)) > 0);
            return warmUp.count;
        }
    }

    /**
     * Calls the overload of offer that each kind of publication implements itself, so that each
     * call site sees only one type.
     */
    private void exchange(int roundTrips) {
        requests.free();
        replies.free();
        for (int i = 0; i < roundTrips; i++) {
            requests.publication.offer(message, 0, MESSAGE_LENGTH, 0);
            for (int poll = 0; poll < POLLS_PER_MESSAGE; poll++) {
                requests.subscription.controlledPoll(onRequest, FRAGMENT_LIMIT);
                replies.subscription.poll(onReply, FRAGMENT_LIMIT);
            }
        }
    }

    private void countReply() {
        count++;
    }

    @Override
    public void close() {
        CloseHelper.closeAll(requests, replies);
    }

    /** A stream from this thread to itself. */
    private static final class Loop implements AutoCloseable, ChannelResource.Owner {
        private static final ChannelUri CHANNEL = ChannelUri.ipc().build();
        private static final ChannelStatus STATUS =
                new ChannelStatus(null, ChannelStatus.NO_ID_ALLOCATED);

        final Publication publication;
        final Subscription subscription =
                new Subscription(CHANNEL, 0, 0, image -> {}, image -> {}, this);
        private final LogBuffers log =
                LogBuffers.inMemory(
                        new LogSpec(
                                LogType.CONCURRENT_PUBLICATION,
                                0,
                                0,
                                0,
                                0,
                                LogLayout.MIN_TERM_LENGTH,
                                MTU,
                                0));
        private final LogCleaner cleaner = new LogCleaner(log, 0);
        private final UnsafeBufferPosition limit;
        private final UnsafeBufferPosition consumed;

        Loop(boolean exclusive) {
            // Off-heap, like a driver's counters.
            UnsafeBuffer counters =
                    new UnsafeBuffer(ByteBuffer.allocateDirect(2 * CountersReader.COUNTER_LENGTH));
            limit = new UnsafeBufferPosition(counters, 0);
            consumed = new UnsafeBufferPosition(counters, 1);
            publication =
                    exclusive
                            ? new ExclusivePublication(CHANNEL, 0, log, limit, STATUS, this)
                            : new ConcurrentPublication(CHANNEL, 0, log, limit, STATUS, this);
            subscription.addImage(
                    new Image(
                            0,
                            subscription,
                            log,
                            consumed,
                            null,
                            "warm-up",
                            LangUtil::rethrowUnchecked,
                            (image, fault) -> LangUtil.rethrowUnchecked(fault)));
        }

        /** Cleans the log and raises the publisher limit, as a driver does. */
        void free() {
            long position = consumed.get();
            while (cleaner.clean(position, LogLayout.MIN_TERM_LENGTH) > 0) {}
            limit.setRelease(cleaner.limit(position, LogLayout.MIN_TERM_LENGTH));
        }

        @Override
        public void release(Publication closed) {}

        @Override
        public void release(Subscription closed) {}

        @Override
        public void release(Counter closed) {
            throw noDriver();
        }

        @Override
        public void change(DestinationChange change) {
            throw noDriver();
        }

        @Override
        public long changeLater(DestinationChange change) {
            throw noDriver();
        }

        @Override
        public void reject(Image image, String reason) {
            throw noDriver();
        }

        private static BusException noDriver() {
            return new BusException(
                    "a bus that only warms up the JVM has no media driver: connect a bus instead");
        }

        @Override
        public void close() {
            publication.close();
            subscription.close();
            log.close();
        }
    }
}
