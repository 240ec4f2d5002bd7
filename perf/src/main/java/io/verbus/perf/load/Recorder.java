// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** Lets the archive at the other end record and replay a stream. Not thread-safe. */
@FunctionalInterface
public interface Recorder {
    /**
     * Sends a stream as fast as possible until all of it is recorded, then requests its replay, and
     * waits until every message has arrived once and in order.
     *
     * @param count number of messages to send.
     */
    Recording record(long count);
}
