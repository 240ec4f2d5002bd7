// SPDX-License-Identifier: Apache-2.0

package io.verbus.samples;

import io.verbus.Bus;
import io.verbus.BusException;
import io.verbus.FragmentAssembler;
import io.verbus.Subscription;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * Prints the messages of a stream until it is interrupted, through the driver of the default
 * directory.
 *
 * <p>Argument: the channel, such as {@code verbus:rdma?endpoint=10.0.0.2:20000} with the address of
 * this host's RDMA device (default {@code verbus:ipc}).
 */
public final class SimpleSubscriber {
    static final int STREAM_ID = 1;

    private SimpleSubscriber() {}

    public static void main(String[] args) {
        String channel = args.length > 0 ? args[0] : "verbus:ipc";
        try (Bus bus = Bus.connect();
                Subscription subscription = bus.addSubscription(channel, STREAM_ID)) {
            FragmentAssembler assembler =
                    new FragmentAssembler(
                            (buffer, offset, length, header) ->
                                    System.out.println(
                                            buffer.getStringWithoutLengthAscii(offset, length)));
            IdleStrategy idle = new BackoffIdleStrategy();
            while (!bus.isClosed()) {
                idle.idle(subscription.poll(assembler, 10));
            }
        } catch (BusException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
