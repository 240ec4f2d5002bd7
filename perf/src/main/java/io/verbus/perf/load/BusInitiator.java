// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** The end on a bus that sends and waits for the echo. */
public final class BusInitiator implements Initiator {
    /** Echoes that are taken in one poll, at most; also messages that a reflector sends back. */
    public static final int FRAGMENT_LIMIT = 10;

    private final Offer requests;
    private final IntSupplier replies;
    private final BooleanSupplier isConnected;
    private final Invokers invokers;
    private final UnsafeBuffer message;

    /**
     * @param requests the publication that sends.
     * @param replies poll of the subscription to the echoes; returns the number of them.
     * @param isConnected whether both are.
     * @param invokers of the bus.
     * @param length of a message in bytes.
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
