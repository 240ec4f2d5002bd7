// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.Endpoint;
import io.verbus.rdma.common.Announcement;
import io.verbus.rdma.fabric.Listener;
import io.verbus.transport.OutboundStream;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A control address, and the publications whose receivers announce themselves there. Used by the
 * conductor's thread.
 */
final class ControlAddress {
    private static final SecureRandom IDS = new SecureRandom();

    final InetSocketAddress address;

    /** Channel endpoints that resolved to the address. */
    final Set<Endpoint> names;

    final Listener listener;
    final long id = newId();
    final List<Published> published = new ArrayList<>();

    /** Number of publications to add once the address is open. */
    int awaited;

    ControlAddress(InetSocketAddress address, Endpoint named, Listener listener) {
        this.address = address;
        this.names = new HashSet<>(Set.of(named));
        this.listener = listener;
    }

    /** Returns the address with the port that was actually bound. */
    String description() {
        return Endpoint.text(listener.localAddress());
    }

    private static long newId() {
        long id = IDS.nextLong();
        return id == 0 ? 1 : id;
    }

    /** A publication at a control address. */
    static final class Published {
        final OutboundStream stream;
        final List<Receiver> receivers = new ArrayList<>();

        /** Id of the only driver that may receive this response publication; 0 for any. */
        long requesterId;

        Published(OutboundStream stream) {
            this.stream = stream;
        }

        boolean responds() {
            return stream.channel().response().isResponse();
        }

        boolean isAskedFor(Announcement announcement) {
            return announcement.isOfSession()
                    ? responds()
                            && stream.log().spec().streamId() == announcement.streamId()
                            && stream.log().spec().sessionId() == announcement.sessionId()
                    : !responds();
        }

        Receiver receiver(String endpoint) {
            for (Receiver receiver : receivers) {
                if (receiver.endpoint.equals(endpoint)) {
                    return receiver;
                }
            }
            return null;
        }
    }

    /** A receiver of a publication. */
    static final class Receiver {
        final String endpoint;
        final OutboundPublication part;

        /** Time until which the receiver may return. */
        long lapsesAtNs;

        Receiver(String endpoint, OutboundPublication part) {
            this.endpoint = endpoint;
            this.part = part;
        }
    }
}
