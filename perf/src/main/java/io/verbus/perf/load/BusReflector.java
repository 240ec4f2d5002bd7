// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import java.util.function.IntSupplier;

/**
 * The end on a bus that sends back what arrives.
 *
 * @param requests poll of the subscription to what arrives, which is sent back; returns the number
 *     of messages.
 * @param invokers of the bus.
 */
public record BusReflector(IntSupplier requests, Invokers invokers) implements Reflector {
    @Override
    public int poll() {
        invokers.invoke();
        return requests.getAsInt();
    }
}
