// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** The end that sends back what arrives. Used by one thread; one class of them in a JVM. */
@FunctionalInterface
public interface Reflector {
    /**
     * Sends back what has arrived, and does whatever else this thread drives.
     *
     * @return number of messages sent back.
     */
    int poll();
}
