// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.channel.ChannelUri;

import org.agrona.ErrorHandler;

/**
 * Channel of the current command, as its client wrote it. All exceptions and log entries of the
 * command name the channel. Used by the conductor's thread.
 */
public final class CommandChannel {
    /** Null if the command has no channel. */
    private String text;

    /** Null until it is parsed. */
    private ChannelUri parsed;

    /**
     * Executes a command.
     *
     * @param channel channel of the command as text.
     * @throws RuntimeException any exception of the command, with the channel in its message.
     */
    public void run(String channel, Runnable command) {
        run(channel, null, command);
    }

    private void run(String channel, ChannelUri uri, Runnable command) {
        text = channel;
        parsed = uri;
        try {
            command.run();
        } catch (RuntimeException e) {
            throw (RuntimeException) ChannelFailure.of(channel, parsed, e);
        } finally {
            text = null;
            parsed = null;
        }
    }

    /** Records the parsed channel. */
    public void parsed(ChannelUri channel) {
        parsed = channel;
    }

    /** Wraps a command that runs later, with the channel of the current command. */
    public Runnable later(Runnable command) {
        String channel = text;
        ChannelUri uri = parsed;
        return channel == null ? command : () -> run(channel, uri, command);
    }

    /** Wraps an error handler, so that a command's log entries name the channel. */
    public ErrorHandler naming(ErrorHandler errors) {
        return error ->
                errors.onError(text == null ? error : ChannelFailure.of(text, parsed, error));
    }
}
