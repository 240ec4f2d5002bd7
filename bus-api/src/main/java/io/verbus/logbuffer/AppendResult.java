// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

/**
 * What an append or a claim returns instead of the stream's new position, which is always positive.
 */
public final class AppendResult {
    /** No subscriber receives the stream. Decided by the publication, not by an appender. */
    public static final long NOT_CONNECTED = -1;

    /** The limit is reached: try again when the consumers have moved on. */
    public static final long BACK_PRESSURED = -2;

    /** The term is full and the next one is being begun: try again at once. */
    public static final long ADMIN_ACTION = -3;

    /** The publication is closed. Decided by the publication, not by an appender. */
    public static final long CLOSED = -4;

    /** The stream has no positions left for the message: open a new publication. */
    public static final long MAX_POSITION_EXCEEDED = -5;

    private AppendResult() {}

    /** Name of a result for people; a position is its own name. */
    public static String name(long result) {
        if (result == NOT_CONNECTED) {
            return "NOT_CONNECTED";
        }
        if (result == BACK_PRESSURED) {
            return "BACK_PRESSURED";
        }
        if (result == ADMIN_ACTION) {
            return "ADMIN_ACTION";
        }
        if (result == CLOSED) {
            return "CLOSED";
        }
        if (result == MAX_POSITION_EXCEEDED) {
            return "MAX_POSITION_EXCEEDED";
        }
        return Long.toString(result);
    }
}
