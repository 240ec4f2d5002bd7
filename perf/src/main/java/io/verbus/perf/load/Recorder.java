// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

/** The end that has a stream recorded by the other, and replayed. Used by one thread. */
@FunctionalInterface
public interface Recorder {
    /**
     * Sends a stream as fast as it goes, until all of it is recorded; then has it replayed, until
     * all of it has arrived, once, in order.
     *
     * @param count messages of the stream.
     */
    Recording record(long count);
}
