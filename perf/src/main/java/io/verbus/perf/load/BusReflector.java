// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.util.function.IntSupplier;

/**
 * Sends back messages that arrive on a bus.
 *
 * @param requests poll of the subscription, whose handler sends messages back; returns the number
 *     of messages.
 * @param invokers invokers of the bus.
 */
public record BusReflector(IntSupplier requests, Invokers invokers) implements Reflector {
    @Override
    public int poll() {
        invokers.invoke();
        return requests.getAsInt();
    }
}
