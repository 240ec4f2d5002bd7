// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.BusException;
import io.verbus.channel.ChannelUri;

/** A failure caused by a channel: the message contains the channel as the client wrote it. */
public final class ChannelFailure extends BusException {
    private static final long serialVersionUID = 1L;

    /** Prefix of warnings. */
    private static final String WARNING = "WARN: ";

    /**
     * Maximum length of a channel that is shown in full, which leaves room in an event for the
     * reason.
     */
    private static final int MAX_SHOWN = 1000;

    /** Number of characters shown of a longer channel. */
    private static final int SHOWN = 200;

    /** Keeps its cause's stack trace, because the error log counts errors by their origin. */
    private ChannelFailure(String message, Throwable cause) {
        super(message, cause);
        setStackTrace(cause.getStackTrace());
    }

    /**
     * Adds the channel to a failure.
     *
     * @param written channel as the client wrote it.
     * @param parsed parsed channel; null if it cannot be parsed.
     * @param failure failure to wrap.
     * @return a failure that names the channel; the given failure if its message already contains
     *     the channel.
     */
    static Throwable of(String written, ChannelUri parsed, Throwable failure) {
        String message =
                failure instanceof BusException ? failure.getMessage() : failure.toString();
        String named = named(written, parsed, message);
        return named.equals(message) ? failure : new ChannelFailure(named, failure);
    }

    /** Adds a channel to a failure, like {@link #of(String, ChannelUri, Throwable)}. */
    public static Throwable of(ChannelUri channel, Throwable failure) {
        return of(channel.written(), channel, failure);
    }

    /** Adds a channel to a message that contains the channel's canonical text, or no channel. */
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

    /** Returns the original failure, without its channel. */
    public static Throwable cause(Throwable failure) {
        return failure instanceof ChannelFailure ? failure.getCause() : failure;
    }
}
