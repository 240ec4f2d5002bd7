// SPDX-License-Identifier: Apache-2.0

package io.verbus.logbuffer;

/**
 * The negative results of an append or a claim. A successful append or claim returns the stream's
 * new position, which is always positive.
 */
public final class AppendResult {
    /** No subscriber receives the stream. Set by the publication, not by an appender. */
    public static final long NOT_CONNECTED = -1;

    /** The limit is reached: try again once the consumers have caught up. */
    public static final long BACK_PRESSURED = -2;

    /** The term is full and the log moves to the next one: try again immediately. */
    public static final long ADMIN_ACTION = -3;

    /** The publication is closed. Set by the publication, not by an appender. */
    public static final long CLOSED = -4;

    /** The message would exceed the highest position of the stream: open a new publication. */
    public static final long MAX_POSITION_EXCEEDED = -5;

    private AppendResult() {}

    /** Returns a human-readable name of a result, or the position as a number. */
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
