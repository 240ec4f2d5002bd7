// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/**
 * A stream offered by a peer; its values have been range-checked.
 *
 * @param registrationId registration id of the publication, unique in its driver.
 * @param sessionId session of the publication.
 * @param streamId stream of the publication.
 * @param initialTermId initial term id of the publication.
 * @param termLength term length of the publication's log in bytes.
 * @param mtu maximum frame length in bytes.
 * @param position start position of a new image, or the sent position of a resumed stream.
 * @param creditAddress address of the credit slot in the peer.
 * @param creditKey rkey of the credit slot.
 * @param resumeToken random number of the stream, known only to the two drivers.
 * @param isResuming whether the stream was accepted before, on a connection that was lost or before
 *     a move.
 * @param wantsResponses whether its messages are requests whose responses are awaited.
 * @param controlId id of the control address at which this side has announced itself, or 0.
 */
public record Setup(
        long registrationId,
        int sessionId,
        int streamId,
        int initialTermId,
        int termLength,
        int mtu,
        long position,
        long creditAddress,
        int creditKey,
        long resumeToken,
        boolean isResuming,
        boolean wantsResponses,
        long controlId) {
    /** Describes the stream for messages. */
    public String description() {
        return "stream " + streamId + " session " + sessionId;
    }

    /**
     * Returns whether another offer is for the same session and stream, with a log of the same
     * layout.
     */
    public boolean isOfSameStream(Setup other) {
        return sessionId == other.sessionId
                && streamId == other.streamId
                && initialTermId == other.initialTermId
                && termLength == other.termLength
                && mtu == other.mtu;
    }
}
