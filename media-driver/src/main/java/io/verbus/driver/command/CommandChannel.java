// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.command;

import io.verbus.channel.ChannelUri;

import org.agrona.ErrorHandler;

/**
 * The channel of the command that is being carried out, as its client wrote it. Whatever the
 * command throws or logs names it. Conductor's thread.
 */
public final class CommandChannel {
    /** Null where the command has none. */
    private String text;

    /** Null until it is read. */
    private ChannelUri parsed;

    /**
     * Carries out a command.
     *
     * @param channel text of its channel.
     * @throws RuntimeException what the command throws, with the channel's name in the message.
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

    /** The channel was read. */
    public void parsed(ChannelUri channel) {
        parsed = channel;
    }

    /** A command that is carried out later, of the same channel as the one in hand. */
    public Runnable later(Runnable command) {
        String channel = text;
        ChannelUri uri = parsed;
        return channel == null ? command : () -> run(channel, uri, command);
    }

    /** An error handler that names the channel in what a command logs. */
    public ErrorHandler naming(ErrorHandler errors) {
        return error ->
                errors.onError(text == null ? error : ChannelFailure.of(text, parsed, error));
    }
}
