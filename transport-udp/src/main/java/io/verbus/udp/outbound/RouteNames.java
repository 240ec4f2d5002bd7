// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.channel.Endpoint;
import io.verbus.channel.LocalInterface;
import io.verbus.transport.OutboundStream;

import java.util.OptionalInt;

/**
 * What a channel says of its {@link Route}, in its own words: publications that say the same share
 * a socket, wherever the names lead by now.
 *
 * @param to endpoint; null where receivers are added one by one or come by themselves.
 * @param control address of this host; or null.
 * @param local interface; or null.
 * @param ttl of datagrams.
 * @param owner registration of the one publication that has the socket for itself, or 0.
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
                channel.ttl(),
                channel.isManual() ? stream.registrationId() : 0,
                isOfResponses);
    }
}
