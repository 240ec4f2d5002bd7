// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

/**
 * Tells operators the state of the devices that a transport needs, from the driver's start on.
 * Conductor's thread.
 */
public interface DeviceWatch extends AutoCloseable {
    /** Of a transport that needs no devices. */
    DeviceWatch NONE =
            new DeviceWatch() {
                @Override
                public int work(long nowNs) {
                    return 0;
                }

                @Override
                public void close() {
                    // There is nothing to release.
                }
            };

    /**
     * Looks at the devices now and then; does not wait. Called every few milliseconds.
     *
     * @param nowNs monotonic time.
     * @return work done.
     */
    int work(long nowNs);

    /** Releases its counters. */
    @Override
    void close();
}
