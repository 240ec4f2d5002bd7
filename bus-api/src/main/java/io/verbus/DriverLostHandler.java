// SPDX-License-Identifier: Apache-2.0

package io.verbus;

/** Told when a bus has lost its driver. */
@FunctionalInterface
public interface DriverLostHandler {
    /**
     * Called once, on the client conductor's thread, after the publications and images of the bus
     * were closed. The bus is of no more use: close it, on another thread, and connect a new one.
     *
     * <p>Where {@link Bus.Context#reconnect} is set, called for each driver that is lost, after the
     * images were closed; the bus looks for the next one by itself.
     *
     * @param bus that has lost its driver.
     * @param reason the driver stopped, was restarted, or has given this client up.
     */
    void onDriverLost(Bus bus, DriverLostException reason);
}
