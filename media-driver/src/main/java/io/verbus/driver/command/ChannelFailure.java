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

    private ChannelFailure(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * Names the channel in a failure.
     *
     * @param channel text as the client wrote it.
     * @param failure what was thrown.
     * @return the failure itself where its message names the channel already.
     */
    public static Throwable of(String channel, Throwable failure) {
        String message =
                failure instanceof BusException ? failure.getMessage() : failure.toString();
        String named = named(channel, message);
        return named.equals(message) ? failure : new ChannelFailure(named, failure);
    }

    /**
     * Names the channel in a message.
     *
     * @param channel text as the client wrote it.
     * @param message sentence that may name the channel by its canonical text, or not at all.
     */
    public static String named(String channel, String message) {
        boolean isTooLong = channel.length() > MAX_SHOWN;
        String shown = isTooLong ? channel.substring(0, SHOWN) + "…" : channel;
        if (message.contains(shown)) {
            return message;
        }
        String canonical = canonical(channel);
        if (canonical != null && message.contains('\'' + canonical + '\'')) {
            return message.replace('\'' + canonical + '\'', '\'' + shown + '\'');
        }
        boolean isWarning = message.startsWith(WARNING);
        return (isWarning ? WARNING : "")
                + "channel '"
                + shown
                + "': "
                + (isWarning ? message.substring(WARNING.length()) : message);
    }

    private static String canonical(String channel) {
        try {
            return ChannelUri.parse(channel).toString();
        } catch (BusException unreadable) {
            return null; // and the message has the text that cannot be read
        }
    }

    /** What was thrown, without its channel. */
    public static Throwable cause(Throwable failure) {
        return failure instanceof ChannelFailure ? failure.getCause() : failure;
    }
}
