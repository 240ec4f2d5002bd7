// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.Endpoint;

import java.net.InetSocketAddress;
import java.util.OptionalLong;

/**
 * A receiver's notice that it stops receiving a publication because a subscriber there has rejected
 * its image.
 *
 * @param receiverId id that distinguishes receivers, or -1.
 * @param groupTag group tag of the receiver; empty if it has none.
 * @param receiver address of the receiver.
 * @param reason reason given by the subscriber.
 * @param destination endpoint of the channel or destination that leads to the receiver, as the
 *     channel names it; or null.
 */
public record PeerRejection(
        long receiverId,
        OptionalLong groupTag,
        InetSocketAddress receiver,
        String reason,
        Endpoint destination) {}
