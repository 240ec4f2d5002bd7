// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;

/** A failure that a channel caused: the message names the channel as the client wrote it. */
public final class ChannelFailure extends BusException {
    private static final long serialVersionUID = 1L;

    /** Begins the messages of warnings. */
    private static final String WARNING = "WARN: ";

    /** Longest channel that is named as a whole: an event has room for a reason besides. */
    private static final int MAX_SHOWN = 1000;

    /** Characters that are named of a longer one. */
    private static final int SHOWN = 200;

    /** Has the trace of its cause: the error log counts errors by where they come from. */
    private ChannelFailure(String message, Throwable cause) {
        super(message, cause);
        setStackTrace(cause.getStackTrace());
    }

    /**
     * Names the channel in a failure.
     *
     * @param written channel as the client wrote it.
     * @param parsed the channel; null if it cannot be read.
     * @param failure what was thrown.
     * @return the failure itself where its message names the channel already.
     */
    static Throwable of(String written, ChannelUri parsed, Throwable failure) {
        String message =
                failure instanceof BusException ? failure.getMessage() : failure.toString();
        String named = named(written, parsed, message);
        return named.equals(message) ? failure : new ChannelFailure(named, failure);
    }

    /** Names a channel in a failure, as {@link #of(String, ChannelUri, Throwable)}. */
    public static Throwable of(ChannelUri channel, Throwable failure) {
        return of(channel.written(), channel, failure);
    }

    /** Names a channel in a message that may name it by its canonical text, or not at all. */
    public static String named(ChannelUri channel, String message) {
        return named(channel.written(), channel, message);
    }

    private static String named(String written, ChannelUri parsed, String message) {
        boolean isTooLong = written.length() > MAX_SHOWN;
        String shown = isTooLong ? written.substring(0, SHOWN) + "…" : written;
        if (message.contains(shown)) {
            return message;
        }
        String canonical = "'" + parsed + "'";
        if (parsed != null && message.contains(canonical)) {
            return message.replace(canonical, '\'' + shown + '\'');
        }
        boolean isWarning = message.startsWith(WARNING);
        return (isWarning ? WARNING : "")
                + "channel '"
                + shown
                + "': "
                + (isWarning ? message.substring(WARNING.length()) : message);
    }

    /** What was thrown, without its channel. */
    public static Throwable cause(Throwable failure) {
        return failure instanceof ChannelFailure ? failure.getCause() : failure;
    }
}
