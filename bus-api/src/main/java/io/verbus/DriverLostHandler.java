// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** Handles the loss of a bus's driver. */
@FunctionalInterface
public interface DriverLostHandler {
    /**
     * Called once, on the client conductor's thread, after the publications and images of the bus
     * were closed. The bus cannot be used any longer: close it, on another thread, and connect a
     * new one.
     *
     * <p>With {@link Bus.Context#reconnect}, called for each driver that is lost, after the images
     * were closed; the bus looks for the next driver by itself.
     *
     * @param bus bus that has lost its driver.
     * @param reason why: the driver stopped, restarted, or dropped this client.
     */
    void onDriverLost(Bus bus, DriverLostException reason);
}
