// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** The end that receives a stream. Used by one thread; one class of them in a JVM. */
public interface Sink {
    /**
     * Takes what has arrived, by every subscription, and does whatever else this thread drives.
     *
     * @return number of messages taken, or some other number above 0 if any was.
     */
    int poll();
}
