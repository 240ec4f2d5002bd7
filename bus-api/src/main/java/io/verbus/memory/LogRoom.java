// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

/**
 * The room of a log, which is the part of it that has memory. This is the whole log from the start;
 * or first the part where the stream starts, so that the stream can start immediately, and the rest
 * later; or, for long terms, only the part currently written and read, so that the log occupies no
 * more memory than it uses, whatever term length its writer chooses.
 */
public interface LogRoom {
    /** Longest term length in bytes of logs that end up in memory as a whole. */
    int LONGEST_WHOLE = 64 * 1024 * 1024;

    /** The room of a log that is in memory as a whole. */
    LogRoom WHOLE =
            new LogRoom() {
                @Override
                public long end() {
                    return Long.MAX_VALUE;
                }

                @Override
                public void hold(long from, long to) {}

                @Override
                public void close() {}
            };

    /**
     * Returns the position at which the memory ends: nothing may be written from there on.
     * Thread-safe.
     */
    long end();

    /**
     * Requests memory for a part of the stream, and frees the memory before it. The part only moves
     * forwards. Takes effect later; memory that is not available is retried. Called on the
     * conductor's thread.
     *
     * @param from position up to which the log has been cleaned.
     * @param to position up to which memory is needed.
     */
    void hold(long from, long to);

    /**
     * Stops all accesses to the log's memory before it returns. Called by the thread that unmaps
     * the log.
     */
    void close();
}
