// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.codecs.control.ErrorCode;

import java.net.InetSocketAddress;

/** Handles publications whose stream is rejected by a receiver or whose peer is unreachable. */
@FunctionalInterface
public interface PublicationErrorHandler {
    /**
     * Called on the client conductor's thread. The publication stays open, and the driver retries.
     * Must not block, and must not add publications or subscriptions.
     *
     * @param publication publication whose stream is not accepted.
     * @param code {@link ErrorCode#IMAGE_REJECTED} if the peer has rejected the stream.
     * @param message cause and remedy.
     */
    void onPublicationError(Publication publication, ErrorCode code, String message);

    /**
     * Called on the client conductor's thread. The client calls only this method, to which it also
     * passes the receiver; the default implementation calls {@link #onPublicationError(Publication,
     * ErrorCode, String)}.
     *
     * @param publication publication whose stream is not accepted.
     * @param code {@link ErrorCode#IMAGE_REJECTED} if the peer has rejected the stream.
     * @param message cause and remedy.
     * @param receiver receiver that does not accept the stream.
     */
    default void onPublicationError(
            Publication publication, ErrorCode code, String message, Receiver receiver) {
        onPublicationError(publication, code, message);
    }

    /**
     * A receiver of a publication.
     *
     * @param receiverId id that distinguishes receivers; -1 if unknown.
     * @param groupTag group tag of the receiver; -1 if it has none.
     * @param address address of the receiver; null if unknown.
     * @param destinationId id of the publication's destination that leads to the receiver; -1 if
     *     there is none.
     */
    record Receiver(
            long receiverId, long groupTag, InetSocketAddress address, long destinationId) {}
}
