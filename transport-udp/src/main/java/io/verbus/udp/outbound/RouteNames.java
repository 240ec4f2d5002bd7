// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.transport.OutboundStream;

import java.util.OptionalInt;

/**
 * Unresolved {@link Route} of a channel: publications with equal names share a socket, even if the
 * names resolve to other addresses now.
 *
 * @param to endpoint; null for manual destinations or dynamic receivers.
 * @param control local control address, or null.
 * @param local local interface, or null.
 * @param ttl TTL of datagrams.
 * @param owner registration id of the publication that does not share the socket, or 0.
 * @param isOfResponses whether each stream has its own receiver.
 */
record RouteNames(
        Endpoint to,
        Endpoint control,
        LocalInterface local,
        OptionalInt ttl,
        long owner,
        boolean isOfResponses) {
    static RouteNames of(OutboundStream stream) {
        ChannelUri channel = stream.channel();
        boolean isOfResponses = channel.response().isResponse();
        boolean isForMany = channel.isDynamic() || channel.isManual() || isOfResponses;
        return new RouteNames(
                isForMany ? null : channel.endpoint(),
                channel.control(),
                channel.localInterface(),
                channel.datagrams().ttl(),
                channel.isManual() ? stream.registrationId() : 0,
                isOfResponses);
    }
}
