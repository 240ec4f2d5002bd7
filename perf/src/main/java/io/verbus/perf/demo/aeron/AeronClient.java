// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.aeron;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Image;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.verbus.perf.demo.BusClient;

import org.agrona.DirectBuffer;

import java.util.concurrent.TimeUnit;

/** Client of the demo that uses Aeron. */
public final class AeronClient implements BusClient {
    private final Aeron aeron;

    /**
     * Connects to a driver.
     *
     * @param directory directory of the driver.
     */
    public AeronClient(String directory) {
        aeron =
                Aeron.connect(
                        new Aeron.Context()
                                .aeronDirectoryName(directory)
                                .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(DRIVER_TIMEOUT_NS))
                                .errorHandler(error -> System.err.println(error.getMessage())));
    }

    @Override
    public Outgoing publish(String channel, int streamId) {
        return new Published(aeron.addExclusivePublication(channel, streamId));
    }

    @Override
    public Incoming subscribe(String channel, int streamId, MessageHandler handler) {
        return new Subscribed(aeron.addSubscription(channel, streamId), handler);
    }

    @Override
    public void close() {
        aeron.close();
    }

    private record Published(ExclusivePublication publication) implements Outgoing {
        @Override
        public boolean isConnected() {
            return publication.isConnected();
        }

        @Override
        public Offered offer(DirectBuffer buffer, int length) {
            long result = publication.offer(buffer, 0, length);
            if (result > 0) {
                return Offered.SENT;
            }
            return result == Publication.BACK_PRESSURED || result == Publication.ADMIN_ACTION
                    ? Offered.AGAIN
                    : Offered.LOST;
        }

        @Override
        public long position() {
            return publication.position();
        }

        @Override
        public void close() {
            publication.close();
        }
    }

    private static final class Subscribed implements Incoming {
        private final Subscription subscription;
        private final FragmentAssembler assembler;
        private Image image;

        Subscribed(Subscription subscription, MessageHandler handler) {
            this.subscription = subscription;
            assembler =
                    new FragmentAssembler(
                            (buffer, offset, length, header) ->
                                    handler.onMessage(buffer, offset, length));
        }

        @Override
        public boolean hasBegun() {
            if (image == null && subscription.imageCount() > 0) {
                image = subscription.imageAtIndex(0);
            }
            return image != null;
        }

        @Override
        public int poll(int limit) {
            return image.poll(assembler, limit);
        }

        @Override
        public boolean hasEnded() {
            return image.isEndOfStream() || image.isClosed();
        }

        @Override
        public void close() {
            subscription.close();
        }
    }
}
