// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** Sends messages on a bus and polls their echoes. */
public final class BusInitiator implements Initiator {
    /**
     * Maximum number of echoes received per poll, and of messages that a reflector sends back per
     * poll.
     */
    public static final int FRAGMENT_LIMIT = 10;

    private final Offer requests;
    private final IntSupplier replies;
    private final BooleanSupplier isConnected;
    private final Invokers invokers;
    private final UnsafeBuffer message;

    /**
     * @param requests publication that sends.
     * @param replies poll of the subscription to the echoes; returns the number of echoes.
     * @param isConnected whether both publication and subscription are connected.
     * @param invokers invokers of the bus.
     * @param length message length in bytes.
     */
    public BusInitiator(
            Offer requests,
            IntSupplier replies,
            BooleanSupplier isConnected,
            Invokers invokers,
            int length) {
        this.requests = requests;
        this.replies = replies;
        this.isConnected = isConnected;
        this.invokers = invokers;
        message = BusSource.message(length);
    }

    @Override
    public boolean isConnected() {
        return isConnected.getAsBoolean();
    }

    @Override
    public boolean send(long sequence, long time) {
        message.putLong(0, sequence);
        message.putLong(Long.BYTES, time);
        return requests.offer(message, 0, message.capacity());
    }

    @Override
    public int poll() {
        invokers.invoke();
        return replies.getAsInt();
    }
}
