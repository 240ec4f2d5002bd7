// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.outbound;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportHost;

import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Publications with several destinations. Used by the conductor's thread. */
final class FanOutPublications {
    private final TransportHost host;
    private final Queue<SenderEvent> events;

    /** Negative, because registration ids of the driver's publications are not negative. */
    private long nextWireId = -1;

    private final Long2ObjectHashMap<FanOutPublication> byRegistration = new Long2ObjectHashMap<>();

    /** A publication and its destinations. */
    static final class FanOutPublication {
        private final OutboundStream stream;
        private final FanOut fanOut;

        /** Null if the channel requests no timestamps. */
        private final SendTimestamps timestamps;

        private final List<OutboundPublication> parts = new ArrayList<>();
        private boolean isClosing;

        private FanOutPublication(OutboundStream stream, FanOut fanOut) {
            this.stream = stream;
            this.fanOut = fanOut;
            timestamps = SendTimestamps.of(stream);
        }

        /** Returns a copy of all parts, one per destination, including those that are ending. */
        List<OutboundPublication> parts() {
            return List.copyOf(parts);
        }

        /** Returns the part for a destination that was added and not removed, or null. */
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

    FanOutPublications(TransportHost host, Queue<SenderEvent> events) {
        this.host = host;
        this.events = events;
    }

    void add(OutboundStream stream) {
        byRegistration.put(
                stream.registrationId(), new FanOutPublication(stream, new FanOut(stream, events)));
    }

    /**
     * Returns the destinations of a publication; null if the publication has a single destination
     * or was released.
     */
    FanOutPublication get(OutboundStream stream) {
        return byRegistration.get(stream.registrationId());
    }

    /** Removes a publication that could not be sent. */
    void forget(OutboundStream stream) {
        byRegistration.remove(stream.registrationId());
    }

    /** Creates the part for another destination. */
    OutboundPublication addPart(OutboundStream stream, ChannelUri destination, long controlId) {
        FanOutPublication publication = get(stream);
        OutboundPublication part =
                new OutboundPublication(
                        new FanOutDestination(
                                stream,
                                nextWireId--,
                                destination,
                                controlId,
                                publication.fanOut,
                                host),
                        publication.timestamps);
        publication.parts.add(part);
        return part;
    }

    /**
     * Closes a publication, which is released together with its last part. Returns whether it is
     * released now.
     */
    boolean close(FanOutPublication publication) {
        publication.isClosing = true;
        return isReleased(publication);
    }

    /** Removes a part that is no longer sent. Returns whether its publication is released now. */
    boolean removePart(OutboundPublication part) {
        FanOutPublication publication = get(part.publication());
        publication.parts.remove(part);
        part.branch.closeCounters();
        return isReleased(publication);
    }

    private boolean isReleased(FanOutPublication publication) {
        boolean isReleased = publication.isClosing && publication.parts.isEmpty();
        if (isReleased) {
            byRegistration.remove(publication.stream.registrationId());
        }
        return isReleased;
    }

    /** Closes all counters. */
    void close() {
        for (FanOutPublication publication : byRegistration.values()) {
            publication.parts.forEach(part -> part.branch.closeCounters());
        }
        byRegistration.clear();
    }
}
