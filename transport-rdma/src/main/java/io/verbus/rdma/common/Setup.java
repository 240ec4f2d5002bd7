// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.common;

/**
 * A stream that a peer offers, its values checked for range.
 *
 * @param registrationId of the publication, unique in its driver.
 * @param sessionId of the publication.
 * @param streamId of the publication.
 * @param initialTermId of the publication.
 * @param termLength of its log in bytes.
 * @param mtu longest frame in bytes.
 * @param position from which a new image starts; of a stream that resumes, up to where it was sent.
 * @param creditAddress of the credit slot in the peer.
 * @param creditKey rkey of the credit slot.
 * @param resumeToken random number of the stream, which only the two drivers know.
 * @param isResuming whether the stream was accepted before, on a connection that was lost.
 * @param wantsResponses whether its messages are requests, whose responses are awaited.
 * @param controlId of the control address at which this side has announced itself, or 0.
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
    /** The stream, for people. */
    public String description() {
        return "stream " + streamId + " session " + sessionId;
    }

    /** Whether another offer is of a log of the same shape and identity. */
    public boolean isOfSameStream(Setup other) {
        return sessionId == other.sessionId
                && streamId == other.streamId
                && initialTermId == other.initialTermId
                && termLength == other.termLength
                && mtu == other.mtu;
    }
}
