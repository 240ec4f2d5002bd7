// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/** Sending end of a stream on a bus. */
public final class BusSource implements Source {
    private static final int CACHE_LINE = 64;

    private final Offer publication;
    private final BooleanSupplier isConnected;
    private final Invokers invokers;
    private final UnsafeBuffer message;

    /**
     * @param publication publication that sends.
     * @param isConnected whether the publication is connected.
     * @param invokers invokers of the bus.
     * @param length message length in bytes.
     */
    public BusSource(
            Offer publication, BooleanSupplier isConnected, Invokers invokers, int length) {
        this.publication = publication;
        this.isConnected = isConnected;
        this.invokers = invokers;
        message = message(length);
    }

    /** Allocates a message that is aligned to a cache line. */
    static UnsafeBuffer message(int length) {
        ByteBuffer lines =
                ByteBuffer.allocateDirect(length + 2 * CACHE_LINE).alignedSlice(CACHE_LINE);
        return new UnsafeBuffer(lines, 0, length);
    }

    @Override
    public boolean isConnected() {
        return isConnected.getAsBoolean();
    }

    @Override
    public boolean send(long tag) {
        message.putLong(0, tag);
        return publication.offer(message, 0, message.capacity());
    }

    @Override
    public int poll() {
        return invokers.invoke();
    }
}
