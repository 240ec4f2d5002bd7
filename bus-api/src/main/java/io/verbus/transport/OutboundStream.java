// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.LogBuffers;

/**
 * A publication as its transport sees it. Created by the driver, and driven by the sender's thread.
 */
public interface OutboundStream {
    /** Returns the registration id, unique in the driver. */
    long registrationId();

    /** Returns the channel of the publication. */
    ChannelUri channel();

    /** Returns the log to send. Mapped until {@link TransportHost#onPublicationReleased}. */
    LogBuffers log();

    /** Returns the position up to which the log has been sent. Called on the sender's thread. */
    long senderPosition();

    /**
     * Returns the position below which the log may have been reused; the log can be sent from there
     * on. While no subscriber receives the stream over this transport, this and the sender position
     * may advance by themselves, see {@link #goesOnWithoutReceivers}. Called on the sender's
     * thread.
     */
    long releasedPosition();

    /**
     * Records how far the log has been sent. Called on the sender's thread.
     *
     * @param position position reached. May decrease only when a stream resumes on a new
     *     connection, to the position up to which it has arrived; never less than the released
     *     position.
     */
    void senderPosition(long position);

    /**
     * Reports the position that the receivers have released according to the channel's flow
     * control, below which the log may be reused, and how far the log may be appended to: up to
     * {@code position + window}, whether or not the receivers have granted that yet. Called on the
     * sender's thread.
     *
     * @param position consumed position, which never decreases.
     * @param window number of bytes that may be appended past the consumed position, at most two
     *     terms.
     */
    void onReleased(long position, long window);

    /**
     * Reports up to which position the transport has finished reading the log. From there on, the
     * driver neither zeroes nor reuses the log, even if receivers have released it: a receiver may
     * release data before the sender's adapter reports that it has sent it. Called on the sender's
     * thread, only by transports that still read the log after the sent position has advanced.
     *
     * @param position position before which the log may change, or {@link Long#MAX_VALUE} if
     *     nothing reads the log.
     */
    void onLogRead(long position);

    /**
     * Reports whether a subscriber receives the stream. Called on the sender's thread.
     *
     * @param connected whether at least one receiver has accepted the stream, and is connected or
     *     expected to reconnect.
     */
    void onConnected(boolean connected);

    /**
     * Returns whether the stream advances while this transport has no receiver, because the
     * driver's own spies read it or another transport also carries it. To hold the log in the
     * meantime at the position last given to {@link #onReleased}, the transport reports that it is
     * connected. Thread-safe.
     */
    boolean goesOnWithoutReceivers();

    /**
     * Counts an occasion on which frames were available but the receivers' credit was used up.
     * Called on the sender's thread.
     */
    void onCreditStall();

    /** Counts a NAK received. Called on the sender's thread. */
    void onNak();

    /**
     * Returns the position at which the stream ends, or {@link
     * io.verbus.logbuffer.LogLayout#NOT_ENDED} while it is open. Written by the conductor before
     * {@link OutboundTransport#closePublication}. Thread-safe.
     */
    long finalPosition();

    /**
     * Returns whether the stream is revoked: nothing more is sent, and receivers end it
     * immediately. Written by the conductor before {@link OutboundTransport#closePublication}.
     * Thread-safe.
     */
    boolean isRevoked();
}
