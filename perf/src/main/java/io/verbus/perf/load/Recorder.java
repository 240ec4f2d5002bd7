// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** Has its stream recorded and replayed by the archive of the other end. Used by one thread. */
@FunctionalInterface
public interface Recorder {
    /**
     * Sends a stream as fast as possible until all of it is recorded, then has it replayed until
     * all of it has arrived, once, in order.
     *
     * @param count number of messages to send.
     */
    Recording record(long count);
}
