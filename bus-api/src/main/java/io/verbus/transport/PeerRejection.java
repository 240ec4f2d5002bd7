// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.Endpoint;

import java.net.InetSocketAddress;
import java.util.OptionalLong;

/**
 * A receiver's words when it does not take a publication any more, because a subscriber there has
 * rejected its image.
 *
 * @param receiverId by which receivers are told apart, or -1.
 * @param groupTag of the receiver; empty if it has none.
 * @param receiver where it is.
 * @param reason that the subscriber gave.
 * @param destination endpoint that the publication was added to, as its channel names it, if that
 *     is where the receiver is; or null.
 */
public record PeerRejection(
        long receiverId,
        OptionalLong groupTag,
        InetSocketAddress receiver,
        String reason,
        Endpoint destination) {}
