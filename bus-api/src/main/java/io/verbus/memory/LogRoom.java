// SPDX-License-Identifier: Apache-2.0

package io.verbus.memory;

/**
 * The memory of a log: all of it from the start; or the part where the stream begins, so that it
 * may begin at once, and the rest a little later; or, of long terms, only the part that is written
 * and read now, so that the log costs what is in use, whatever term length its writer names.
 */
public interface LogRoom {
    /** Terms of logs that are all in memory in the end have so many bytes at most. */
    int LONGEST_WHOLE = 64 * 1024 * 1024;

    /** All of the log is in memory. */
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

    /** Position up to which there is memory: nothing may be written from there on. Any thread. */
    long end();

    /**
     * Asks for memory of a part of the stream, and gives back what lies before it. The part moves
     * forwards only. Takes effect later; what cannot be taken now is tried again. Conductor.
     *
     * @param from position up to which the log has been cleaned.
     * @param to position up to which memory is wanted.
     */
    void hold(long from, long to);

    /** Nothing of the log is touched once this returns. The thread that unmaps the log. */
    void close();
}
