// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/**
 * Shows operators the state of the devices that a transport needs, from the start of the driver.
 * Used by the conductor's thread only.
 */
public interface DeviceWatch extends AutoCloseable {
    /** The watch of a transport that needs no devices. */
    DeviceWatch NONE =
            new DeviceWatch() {
                @Override
                public int work(long nowNs) {
                    return 0;
                }

                @Override
                public void close() {}
            };

    /**
     * Checks the devices from time to time, without waiting. Called every few milliseconds.
     *
     * @param nowNs monotonic time.
     * @return work done.
     */
    int work(long nowNs);

    /** Frees the counters of the watch. */
    @Override
    void close();
}
