// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportHost;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** The publications that have several destinations. Conductor's thread. */
final class Fans {
    private final TransportHost host;
    private final Queue<SenderEvent> events;

    /** Registrations of the driver's publications are not negative. */
    private long nextWireId = -1;

    private final Long2ObjectHashMap<Fan> byRegistration = new Long2ObjectHashMap<>();

    /** One publication and where it is sent. */
    static final class Fan {
        private final OutboundStream stream;
        private final FanOut fanOut;
        private final List<OutboundPublication> parts = new ArrayList<>();
        private boolean isClosing;

        private Fan(OutboundStream stream, FanOut fanOut) {
            this.stream = stream;
            this.fanOut = fanOut;
        }

        /** What is sent to each destination, those included that end. A copy. */
        List<OutboundPublication> parts() {
            return List.copyOf(parts);
        }

        /** What is sent to a destination that was added and not removed; or null. */
        OutboundPublication part(ChannelUri destination) {
            for (OutboundPublication part : parts) {
                if (!part.isClosing()
                        && part.branch.channel().endpoint().equals(destination.endpoint())) {
                    return part;
                }
            }
            return null;
        }
    }

    Fans(TransportHost host, Queue<SenderEvent> events) {
        this.host = host;
        this.events = events;
    }

    void add(OutboundStream stream) {
        byRegistration.put(stream.registrationId(), new Fan(stream, new FanOut(stream, events)));
    }

    /** The publication; null if it has but one destination, or is released. */
    Fan get(OutboundStream stream) {
        return byRegistration.get(stream.registrationId());
    }

    /** A publication that was added cannot be sent. */
    void forget(OutboundStream stream) {
        byRegistration.remove(stream.registrationId());
    }

    /** Makes what is sent to one more destination. */
    OutboundPublication addPart(OutboundStream stream, ChannelUri destination, long controlId) {
        Fan fan = get(stream);
        OutboundPublication part =
                new OutboundPublication(
                        new FanOutDestination(
                                stream, nextWireId--, destination, controlId, fan.fanOut, host));
        fan.parts.add(part);
        return part;
    }

    /** The driver has closed a publication: it is released with its last part. */
    boolean close(Fan fan) {
        fan.isClosing = true;
        return isReleased(fan);
    }

    /** A part is sent no more; whether the publication is released with it. */
    boolean removePart(OutboundPublication part) {
        Fan fan = get(part.publication());
        fan.parts.remove(part);
        part.branch.closeCounters();
        return isReleased(fan);
    }

    private boolean isReleased(Fan fan) {
        boolean isReleased = fan.isClosing && fan.parts.isEmpty();
        if (isReleased) {
            byRegistration.remove(fan.stream.registrationId());
        }
        return isReleased;
    }

    /** The transport closes. */
    void close() {
        for (Fan fan : byRegistration.values()) {
            fan.parts.forEach(part -> part.branch.closeCounters());
        }
        byRegistration.clear();
    }
}
