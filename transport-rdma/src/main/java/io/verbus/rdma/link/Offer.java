// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.link;

/**
 * A stream that a peer offers, its values checked for range.
 *
 * @param registrationId of the publication, unique in its driver.
 * @param sessionId of the publication.
 * @param streamId of the publication.
 * @param initialTermId of the publication.
 * @param termLength of its log in bytes.
 * @param mtu longest frame in bytes.
 * @param position from which a new image starts.
 * @param creditAddress of the credit slot in the peer.
 * @param creditKey rkey of the credit slot.
 */
public record Offer(
        long registrationId,
        int sessionId,
        int streamId,
        int initialTermId,
        int termLength,
        int mtu,
        long position,
        long creditAddress,
        int creditKey) {}
