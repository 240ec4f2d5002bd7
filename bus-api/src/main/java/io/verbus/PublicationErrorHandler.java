// SPDX-License-Identifier: Apache-2.0

package io.verbus;

import io.verbus.codecs.control.ErrorCode;

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
}
