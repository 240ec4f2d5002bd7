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
 * Records what others do wrong, peers or clients. They can do so as often as they like, with other
 * ids and numbers each time, and under any number of names: only the first error of each kind and
 * causer is told, and of each kind a bounded number of causers. So what they cause takes a bounded
 * part of the error log, which keeps what it has for as long as the driver runs, and an error of
 * the driver's own always finds room. One thread.
 */
public final class CauserErrorLog {
    /** Longest text that is told, in characters. */
    public static final int MAX_LENGTH = 512;

    private final ErrorHandler errors;
    private final int most;
    private final String causers;
    private final Function<String, BusException> error;
    private final Map<Enum<?>, Set<String>> told = new HashMap<>();

    /**
     * @param errors where they are told.
     * @param most causers that are told of each kind.
     * @param causers what they are, for people: peers, or clients.
     * @param error makes an error of a text.
     */
    public CauserErrorLog(
            ErrorHandler errors, int most, String causers, Function<String, BusException> error) {
        this.errors = errors;
        this.most = most;
        this.causers = causers;
        this.error = error;
    }

    /**
     * Records an error, unless the same kind was told of this causer.
     *
     * @param kind of error: much of one does not keep another out of the log.
     * @param causer that has caused it.
     * @param message cause and remedy.
     * @return whether it was recorded.
     */
    public boolean record(Enum<?> kind, String causer, String message) {
        return record(kind, causer, message, errors);
    }

    /**
     * Records an error as {@link #record(Enum, String, String)} does, with another handler.
     *
     * @param handler called with the error.
     * @return whether it was recorded.
     */
    public boolean record(Enum<?> kind, String causer, String message, ErrorHandler handler) {
        Set<String> all = told.computeIfAbsent(kind, none -> new HashSet<>());
        boolean isNew = all.size() < most && all.add(causer);
        if (isNew) {
            tell(message, handler);
            if (all.size() == most) {
                tell(
                        "the same is only counted where further "
                                + causers
                                + " cause it, after "
                                + most
                                + " that were told: "
                                + message,
                        handler);
            }
        }
        return isNew;
    }

    /** Where it was thrown says nothing that the text does not, and takes room in the log. */
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
