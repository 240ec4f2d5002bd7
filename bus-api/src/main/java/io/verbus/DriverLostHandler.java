// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** Handles the loss of a bus's driver. */
@FunctionalInterface
public interface DriverLostHandler {
    /**
     * Called once, on the client conductor's thread, after the publications and images of the bus
     * were closed. The bus can no longer be used: close it on another thread, and connect a new
     * bus.
     *
     * <p>With {@link BusContext#reconnect}, called each time a driver is lost, after the images
     * were closed. The bus then looks for the next driver.
     *
     * @param bus bus that has lost its driver.
     * @param reason reason for the loss: the driver has stopped, has restarted, or has dropped this
     *     client.
     */
    void onDriverLost(Bus bus, DriverLostException reason);
}
