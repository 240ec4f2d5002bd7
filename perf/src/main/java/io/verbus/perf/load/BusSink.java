// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.util.List;
import java.util.function.IntSupplier;

/** Receiving end of a stream on a bus. */
public final class BusSink implements Sink {
    /** Maximum number of messages taken per poll of a subscription. */
    public static final int FRAGMENT_LIMIT = 256;

    private final IntSupplier[] subscriptions;
    private final Invokers invokers;

    /**
     * @param subscriptions polls of the subscriptions; each returns the number of messages taken.
     * @param invokers invokers of the bus.
     */
    public BusSink(List<? extends IntSupplier> subscriptions, Invokers invokers) {
        this.subscriptions = subscriptions.toArray(IntSupplier[]::new);
        this.invokers = invokers;
    }

    @Override
    public int poll() {
        invokers.invoke();
        int count = 0;
        for (IntSupplier subscription : subscriptions) {
            count += subscription.getAsInt();
        }
        return count;
    }
}
