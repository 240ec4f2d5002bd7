// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.BusException;

import org.agrona.ErrorHandler;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Records errors that peers or clients cause. They can cause any number of errors, with different
 * ids and numbers each time and under any number of names. Therefore only the first error of each
 * kind is recorded for each causer, and only for a limited number of causers. The error log never
 * frees entries while the driver runs; this limit leaves room for the driver's own errors. Not
 * thread-safe.
 */
public final class CauserErrorLog {
    /** Maximum length of a recorded message in characters. */
    public static final int MAX_LENGTH = 512;

    private final ErrorHandler errors;
    private final int most;
    private final String causers;
    private final Function<String, BusException> error;
    private final Map<Enum<?>, Set<String>> told = new HashMap<>();

    /**
     * @param errors handler for the recorded errors.
     * @param most maximum number of causers recorded for each kind of error.
     * @param causers human-readable plural of the causers: peers or clients.
     * @param error function that creates an error from a message.
     */
    public CauserErrorLog(
            ErrorHandler errors, int most, String causers, Function<String, BusException> error) {
        this.errors = errors;
        this.most = most;
        this.causers = causers;
        this.error = error;
    }

    /**
     * Records an error, unless one of the same kind was recorded for this causer.
     *
     * @param kind kind of the error; the kinds have separate limits.
     * @param causer peer or client that has caused the error.
     * @param message cause and remedy.
     * @return whether it was recorded.
     */
    public boolean record(Enum<?> kind, String causer, String message) {
        return record(kind, causer, message, errors);
    }

    /**
     * Records an error as {@link #record(Enum, String, String)} does, with another handler.
     *
     * @param handler handler that receives the error.
     * @return whether it was recorded.
     */
    public boolean record(Enum<?> kind, String causer, String message, ErrorHandler handler) {
        Set<String> all = told.computeIfAbsent(kind, none -> new HashSet<>());
        boolean isNew = all.size() < most && all.add(causer);
        if (isNew) {
            tell(message, handler);
            if (all.size() == most) {
                tell(
                        most
                                + " "
                                + causers
                                + " have caused the same error, so errors of further "
                                + causers
                                + " are only counted: "
                                + message,
                        handler);
            }
        }
        return isNew;
    }

    /** Drops the stack trace, which adds nothing to the message and takes room in the log. */
    private void tell(String message, ErrorHandler handler) {
        BusException told =
                error.apply(
                        message.length() <= MAX_LENGTH
                                ? message
                                : message.substring(0, MAX_LENGTH));
        told.setStackTrace(new StackTraceElement[0]);
        handler.onError(told);
    }
}
