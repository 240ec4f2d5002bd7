// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.FragmentAssembler;
import io.verbus.Subscription;
import io.verbus.channel.ChannelUri;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * Prints a message of a stream each second (or each {@code -Dpause=MS}) until it is interrupted,
 * through the driver of the default directory, without holding the publisher back: if other
 * subscribers of the stream are far ahead, the driver detaches this one, and after a while it
 * rejoins at their position.
 *
 * <p>Argument: the channel, as for {@link SimpleSubscriber}; {@code tether=false} is added.
 */
public final class SlowSubscriber {
    private static final int PAUSE_MS = Integer.getInteger("pause", 1_000);

    private SlowSubscriber() {}

    public static void main(String[] args) throws InterruptedException {
        String channel = args.length > 0 ? args[0] : "verbus:ipc";
        String untethered = channel + (channel.contains("?") ? "|" : "?") + "tether=false";
        try (Bus bus = Bus.connect();
                Subscription subscription =
                        bus.addSubscription(
                                ChannelUri.parse(untethered),
                                SimpleSubscriber.STREAM_ID,
                                image ->
                                        System.out.println(
                                                "joined at position " + image.joinPosition()),
                                image ->
                                        System.out.println(
                                                "detached at position " + image.position()))) {
            FragmentAssembler assembler =
                    new FragmentAssembler(
                            (buffer, offset, length, header) ->
                                    System.out.println(
                                            buffer.getStringWithoutLengthAscii(offset, length)));
            IdleStrategy idle = new BackoffIdleStrategy();
            while (!bus.isClosed()) {
                int count = subscription.poll(assembler, 1);
                if (count > 0) {
                    Thread.sleep(PAUSE_MS);
                }
                idle.idle(count);
            }
        } catch (BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
