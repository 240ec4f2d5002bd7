// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.codecs.control.ErrorCode;

import java.net.InetSocketAddress;

/** Told when a publication's stream is refused or its peer cannot be reached. */
@FunctionalInterface
public interface PublicationErrorHandler {
    /**
     * Called on the client conductor's thread. The publication stays, and the driver tries again.
     * Must not block, and must not add publications or subscriptions.
     *
     * @param publication whose stream is not taken.
     * @param code {@link ErrorCode#IMAGE_REJECTED} if the peer said no.
     * @param message cause and remedy.
     */
    void onPublicationError(Publication publication, ErrorCode code, String message);

    /**
     * As {@link #onPublicationError(Publication, ErrorCode, String)}, for who wants to know which
     * receiver it is. This is what is called; it calls the other unless it is overridden.
     *
     * @param publication whose stream is not taken.
     * @param code {@link ErrorCode#IMAGE_REJECTED} if the peer said no.
     * @param message cause and remedy.
     * @param receiver who has refused.
     */
    default void onPublicationError(
            Publication publication, ErrorCode code, String message, Receiver receiver) {
        onPublicationError(publication, code, message);
    }

    /**
     * A receiver of a publication.
     *
     * @param receiverId by which receivers are told apart; -1 if it is not known.
     * @param groupTag of the receiver; -1 if it has none.
     * @param address where it is; null if it is not known.
     * @param destinationId of the publication's destination that it receives by; -1 if none.
     */
    record Receiver(
            long receiverId, long groupTag, InetSocketAddress address, long destinationId) {}
}
