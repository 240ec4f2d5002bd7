// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.udp;

import io.verbus.Bus;
import io.verbus.ExclusivePublication;
import io.verbus.FragmentAssembler;
import io.verbus.Subscription;
import io.verbus.driver.Await;
import io.verbus.driver.aeron.AeronPeer;

import org.agrona.DirectBuffer;

/**
 * Messages from one publisher to a Verbus receiver and an Aeron receiver, which both get all of
 * them.
 */
final class UdpExchange {
    private static final int MESSAGES = 2000;
    private static final int MAX_LENGTH = 4000;

    /** Maximum lead of the publisher over the slower receiver, in messages. */
    private static final int AHEAD = 8;

    /** Offers a message; returns whether it was accepted. */
    private interface Publisher {
        boolean offer(DirectBuffer buffer, int length);
    }

    private final Bus bus;
    private final AeronPeer aeron;
    private final int streamId;

    /**
     * @param bus of our receiver.
     * @param aeron of the other.
     * @param streamId of the messages.
     */
    UdpExchange(Bus bus, AeronPeer aeron, int streamId) {
        this.bus = bus;
        this.aeron = aeron;
        this.streamId = streamId;
    }

    /** Sends from a Verbus publication to the two channels. */
    void run(ExclusivePublication publication, String ours, String theirs) {
        run((buffer, length) -> publication.offer(buffer, 0, length) > 0, ours, theirs);
    }

    /** Sends from an Aeron publication to the two channels. */
    void run(io.aeron.ExclusivePublication publication, String ours, String theirs) {
        run((buffer, length) -> publication.offer(buffer, 0, length) > 0, ours, theirs);
    }

    private void run(Publisher publisher, String ours, String theirs) {
        long seed = System.nanoTime();
        UdpMessages here = new UdpMessages(seed, MAX_LENGTH);
        UdpMessages there = new UdpMessages(seed, MAX_LENGTH);
        FragmentAssembler handler =
                new FragmentAssembler((buffer, at, size, h) -> here.onMessage(buffer, at, size));
        io.aeron.FragmentAssembler aeronHandler =
                new io.aeron.FragmentAssembler(
                        (buffer, at, size, h) -> there.onMessage(buffer, at, size));
        try (Subscription subscription = bus.addSubscription(ours, streamId);
                io.aeron.Subscription aeronSubscription =
                        aeron.client().addSubscription(theirs, streamId)) {
            Await.until(
                    "both connected",
                    () -> subscription.isConnected() && aeronSubscription.isConnected());
            Await.done(
                    "all messages",
                    () -> {
                        if (here.sent() < MESSAGES
                                && here.sent() - Math.min(here.received(), there.received()) < AHEAD
                                && publisher.offer(here.buffer(), here.length())) {
                            here.onSent();
                        }
                        subscription.poll(handler, 10);
                        aeronSubscription.poll(aeronHandler, 10);
                        return here.received() == MESSAGES && there.received() == MESSAGES;
                    });
        }
    }
}
