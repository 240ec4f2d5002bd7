// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.verbus;

import io.verbus.Bus;
import io.verbus.BusContext;
import io.verbus.ExclusivePublication;
import io.verbus.FragmentAssembler;
import io.verbus.Image;
import io.verbus.Publication;
import io.verbus.Subscription;
import io.verbus.perf.demo.BusClient;

import org.agrona.DirectBuffer;

import java.time.Duration;

/** Client of the demo that uses Verbus. */
public final class VerbusClient implements BusClient {
    private final Bus bus;

    /**
     * Connects to a driver.
     *
     * @param directory directory of the driver.
     */
    public VerbusClient(String directory) {
        bus =
                Bus.connect(
                        new BusContext()
                                .directoryName(directory)
                                .driverTimeout(Duration.ofNanos(DRIVER_TIMEOUT_NS))
                                .errorHandler(error -> System.err.println(error.getMessage())));
    }

    @Override
    public Outgoing publish(String channel, int streamId) {
        return new Published(bus.addExclusivePublication(channel, streamId));
    }

    @Override
    public Incoming subscribe(String channel, int streamId, MessageHandler handler) {
        return new Subscribed(bus.addSubscription(channel, streamId), handler);
    }

    @Override
    public void close() {
        bus.close();
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
            if (image == null) {
                subscription.forEachImage(found -> image = found);
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
