// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;

import java.util.OptionalInt;

/** A publication as its transport sees it. The driver makes it; the sender's thread drives it. */
public interface OutboundStream {
    /** Unique in the driver. */
    long registrationId();

    /** Channel of the publication. */
    ChannelUri channel();

    /** The log to send. Mapped until {@link TransportHost#onPublicationReleased}. */
    LogBuffers log();

    /** Position up to which the log has been sent. Sender's thread. */
    long senderPosition();

    /**
     * Position behind which the log may have been reused: from there on it can be sent. While no
     * subscriber receives the stream over this transport, this and the sender position may move by
     * themselves, see {@link #goesOnWithoutReceivers}. Sender's thread.
     */
    long releasedPosition();

    /**
     * Records how far the log has been sent. Sender's thread.
     *
     * @param position reached. Less than before only where a stream resumes on a new connection: up
     *     to there it has arrived, and it is never less than what was released.
     */
    void senderPosition(long position);

    /**
     * Tells what the receivers have released, by the channel's flow control, behind which the log
     * may be reused, and how far it may be appended to: up to {@code position + window}, whether or
     * not the receivers have granted that yet. Sender's thread.
     *
     * @param position consumed, never less than before.
     * @param window in bytes past it, two terms at most.
     */
    void onReleased(long position, long window);

    /**
     * Tells whether a subscriber receives the stream. Sender's thread.
     *
     * @param connected whether at least one receiver has accepted it, and is there or is expected
     *     back.
     */
    void onConnected(boolean connected);

    /**
     * Whether the stream goes on while this transport has no receiver of it, because the driver's
     * own spies read it, or another transport carries it, too. What the transport tells meanwhile
     * holds the log where it was: it says that it is connected. Any thread.
     */
    boolean goesOnWithoutReceivers();

    /**
     * Where the time of sending is written in each message, as {@link ChannelUri#sendTimestamp}.
     * Conductor's thread.
     */
    default OptionalInt sendTimestamp() {
        return channel().sendTimestamp();
    }

    /** Counts a time when frames were there but the receivers' credit was not. Sender's thread. */
    void onCreditStall();

    /** Counts a NAK that has come. Sender's thread. */
    void onNak();

    /**
     * Where the stream ends: {@link io.verbus.logbuffer.LogLayout#NOT_ENDED} while it is open. Any
     * thread; written by the conductor before {@link Transport#closePublication}.
     */
    long finalPosition();

    /**
     * Whether the stream was taken back: nothing more of it is sent, and receivers are told to end
     * it wherever they are. Any thread; written by the conductor before {@link
     * Transport#closePublication}.
     */
    boolean isRevoked();
}
