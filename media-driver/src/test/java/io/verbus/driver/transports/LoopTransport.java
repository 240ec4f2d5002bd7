// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.transports;

import io.verbus.channel.ChannelUri;
import io.verbus.logbuffer.FrameHeader;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogScanner;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.Networks;
import io.verbus.transport.Option;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.OutboundTransport;
import io.verbus.transport.SetupAnswer;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportException;
import io.verbus.transport.TransportHost;
import io.verbus.transport.TransportProvider;
import io.verbus.transport.TransportSettings;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A transport within one driver: copies a publication's log to the image of the driver's own
 * subscription, following the rules of the transport API. Its link can be cut.
 */
public final class LoopTransport implements Transport, OutboundTransport, InboundTransport {
    private static final int BATCH = 16 * 1024;
    private static final int WINDOW = 32 * 1024;

    /** Opens transports, and keeps the last one. */
    public static final class Provider implements TransportProvider {
        public volatile LoopTransport opened;
        public String failure;
        public volatile Runnable preparation = () -> {};
        public Networks networks = Networks.NONE;

        /** Whether local addresses open only in a later cycle, once this is false. */
        public volatile boolean isOpeningDelayed;

        /** Reason for refusing addresses whose opening was delayed, or null. */
        public volatile String addressRefusal;

        /** Number of addresses that are opening. Written by the conductor. */
        public volatile int opening;

        @Override
        public String media() {
            return "rdma";
        }

        @Override
        public void prepare() {
            preparation.run();
        }

        @Override
        public List<Option<?>> options() {
            return List.of(Option.of("rdma.known", "", "anything", "An option.", text -> text));
        }

        @Override
        public Networks networks(TransportSettings settings) {
            return networks;
        }

        @Override
        public Transport open(TransportHost host) {
            if (failure != null) {
                throw new TransportException(failure);
            }
            opened = new LoopTransport(this, host);
            return opened;
        }
    }

    private record Endpoint(String description, int[] references, CompletableFuture<Void> opened)
            implements InboundEndpoint {}

    /** A publication and the image that it is copied to. */
    private static final class Link {
        final OutboundStream stream;
        final InboundImage image;
        final LogScanner scanner;

        /** Written by the receiver's part, read by the sender's. */
        volatile long credit;

        /** Nothing is sent until the driver has chosen the image in which it continues. */
        volatile boolean isStopped;

        Link(OutboundStream stream, InboundImage image, long position) {
            this.stream = stream;
            this.image = image;
            this.scanner = new LogScanner(stream.log());
            this.credit = position;
        }
    }

    private final Provider provider;
    private final TransportHost host;
    private final List<CompletableFuture<Void>> opening = new ArrayList<>();
    private final Map<String, Endpoint> endpoints = new HashMap<>();
    private final Map<OutboundStream, ChannelUri> destinations = new IdentityHashMap<>();
    private final List<OutboundStream> unlinked = new ArrayList<>();
    private final List<OutboundStream> offered = new ArrayList<>();
    private final List<OutboundStream> closing = new ArrayList<>();
    private final List<InboundImage> released = new ArrayList<>();

    /** Links that will get another image. */
    private final List<Link> moving = new ArrayList<>();

    /**
     * Written by the conductor's part, a new array each time. Tests run all agents in one thread.
     */
    private volatile Link[] links = new Link[0];

    /** Written by a test: the link fails. */
    public volatile boolean cut;

    /** Streams that were moved to another log. */
    public volatile int moves;

    private LoopTransport(Provider provider, TransportHost host) {
        this.provider = provider;
        this.host = host;
    }

    /** Opens an address, now or when the test permits. */
    private CompletableFuture<Void> open() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        if (provider.isOpeningDelayed) {
            opening.add(result);
            provider.opening = opening.size();
        } else {
            result.complete(null);
        }
        return result;
    }

    private void endOpening() {
        String refusal = provider.addressRefusal;
        for (CompletableFuture<Void> each : opening) {
            if (refusal == null) {
                each.complete(null);
            } else {
                each.completeExceptionally(new TransportException(refusal));
            }
        }
        opening.clear();
        provider.opening = 0;
    }

    @Override
    public OutboundTransport outbound() {
        return this;
    }

    @Override
    public InboundTransport inbound() {
        return this;
    }

    @Override
    public CompletableFuture<Void> addPublication(OutboundStream stream) {
        if (stream.channel().isManual()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> result = open();
        result.thenRun(() -> unlinked.add(stream));
        return result;
    }

    @Override
    public void closePublication(OutboundStream stream) {
        closing.add(stream);
    }

    @Override
    public void addDestination(OutboundStream stream, ChannelUri destination) {
        if (destinations.put(stream, destination) != null) {
            throw new TransportException("a loop has one destination: add no other");
        }
        unlinked.add(stream);
    }

    /** Channels of all destinations. */
    public List<ChannelUri> destinations() {
        return List.copyOf(destinations.values());
    }

    @Override
    public void removeDestination(OutboundStream stream, ChannelUri destination) {
        destinations.remove(stream);
        unlinked.remove(stream);
        for (Link link : links) {
            if (link.stream == stream) {
                unlink(link);
                host.onImageLost(link.image, "the destination was removed");
            }
        }
    }

    @Override
    public InboundEndpoint openEndpoint(ChannelUri channel) {
        Endpoint endpoint =
                endpoints.computeIfAbsent(
                        channel.endpoint().toString(),
                        name -> new Endpoint(name, new int[1], open()));
        endpoint.references[0]++;
        return endpoint;
    }

    @Override
    public InboundEndpoint openDestination(ChannelUri channel) {
        if (endpoints.containsKey(channel.endpoint().toString())) {
            throw new TransportException("a loop cannot bind to " + channel.endpoint());
        }
        return openEndpoint(channel);
    }

    @Override
    public void joinEndpoint(InboundEndpoint endpoint, ChannelUri channel) {
        ((Endpoint) endpoint).references[0]++;
    }

    @Override
    public void rejectImage(InboundImage image, String reason) {
        closeImage(image);
    }

    @Override
    public boolean isOneSided() {
        return true;
    }

    @Override
    public void moveImage(InboundImage image) {
        for (Link link : links) {
            if (link.image == image && !moving.contains(link)) {
                moving.add(link);
            }
        }
    }

    /** Sent data is in the image's log at once. */
    private void move(Link link) {
        host.onImageStopped(
                link.image,
                next -> {
                    moving.remove(link);
                    if (!List.of(links).contains(link)) {
                        return;
                    }
                    Link moved = new Link(link.stream, next, link.credit);
                    Link[] all = links.clone();
                    all[List.of(links).indexOf(link)] = moved;
                    links = all;
                    moves += next == link.image ? 0 : 1;
                });
    }

    /** Whether each link writes the log of an image that clients see. */
    public List<Boolean> areMerged(long imageId) {
        List<Boolean> found = new ArrayList<>();
        for (Link link : links) {
            found.add(link.image.log().spec().registrationId() == imageId);
        }
        return found;
    }

    @Override
    public void awaitResponses(InboundEndpoint endpoint, int streamId, int sessionId) {}

    @Override
    public void forgetResponses(InboundEndpoint endpoint, int streamId, int sessionId) {}

    @Override
    public void tellResponseSession(InboundImage image, Integer sessionId) {}

    @Override
    public String localAddress(OutboundStream stream) {
        return "loop:0";
    }

    @Override
    public void closeEndpoint(InboundEndpoint endpoint) {
        Endpoint opened = (Endpoint) endpoint;
        if (--opened.references[0] == 0) {
            endpoints.remove(opened.description);
        }
    }

    public int endpointCount() {
        return endpoints.size();
    }

    @Override
    public void onSubscriptionAdded(InboundEndpoint endpoint, int streamId) {
        // Every cycle offers the streams that are not linked.
    }

    @Override
    public void closeImage(InboundImage image) {
        for (Link link : links) {
            if (link.image == image) {
                unlink(link);
                unlinked.add(link.stream);
            }
        }
        released.add(image);
    }

    private void unlink(Link gone) {
        moving.remove(gone);
        List<Link> rest = new ArrayList<>(List.of(links));
        rest.remove(gone);
        links = rest.toArray(new Link[0]);
        gone.stream.onConnected(false);
    }

    @Override
    public int conduct(long nowNs) {
        if (!opening.isEmpty() && !provider.isOpeningDelayed) {
            endOpening();
        }
        if (cut) {
            cut = false;
            for (Link link : links) {
                unlink(link);
                unlinked.add(link.stream);
                host.onImageLost(link.image, "the link was cut");
            }
        }
        if (!moving.isEmpty()) { // a loop without iterator, so that the conductor allocates nothing
            moveOn();
        }
        for (int i = released.size() - 1; i >= 0; i--) {
            host.onImageReleased(released.remove(i));
        }
        for (int i = unlinked.size() - 1; i >= 0; i--) {
            offer(i);
        }
        for (int i = closing.size() - 1; i >= 0; i--) {
            close(i);
        }
        return 0;
    }

    private void offer(int index) {
        OutboundStream stream = unlinked.get(index);
        ChannelUri to = destinations.getOrDefault(stream, stream.channel());
        Endpoint endpoint = endpoints.get(to.endpoint().toString());
        if (endpoint == null || closing.contains(stream)) {
            return;
        }
        LogBuffers log = stream.log();
        long position = stream.senderPosition();
        boolean isWanted =
                host.onSetup(
                        endpoint,
                        new ImageSetup(
                                log.spec().sessionId(),
                                log.spec().streamId(),
                                log.spec().initialTermId(),
                                log.spec().termLength(),
                                log.spec().mtu(),
                                position,
                                "loop",
                                false),
                        new SetupAnswer() {
                            @Override
                            public void onImage(InboundImage image) {
                                link(stream, image, position);
                            }

                            @Override
                            public void onUnwanted() {
                                offered.remove(stream);
                                unlinked.add(stream);
                            }

                            @Override
                            public void onFailed(String reason) {
                                onUnwanted();
                            }
                        });
        if (isWanted) {
            unlinked.remove(index);
            offered.add(stream);
        }
    }

    private void link(OutboundStream stream, InboundImage image, long position) {
        offered.remove(stream);
        if (position < stream.releasedPosition()) {
            host.onImageLost(image, "the stream has gone on without it");
            unlinked.add(stream);
            return;
        }
        Link[] more = java.util.Arrays.copyOf(links, links.length + 1);
        more[links.length] = new Link(stream, image, position);
        links = more;
        stream.onReleased(position, WINDOW);
        stream.onConnected(true);
        stream.senderPosition(position);
    }

    private void moveOn() {
        for (Link link : List.copyOf(moving)) {
            if (List.of(links).contains(link)) {
                if (!link.isStopped) {
                    link.isStopped = true;
                    move(link);
                }
            } else {
                moving.remove(link);
            }
        }
    }

    private void close(int index) {
        OutboundStream stream = closing.get(index);
        for (Link link : links) {
            if (link.stream == stream) {
                if (stream.senderPosition() >= stream.finalPosition()) {
                    long end = stream.finalPosition();
                    unlink(link);
                    closing.remove(index);
                    host.onImageEnding(link.image, end);
                    host.onPublicationReleased(stream);
                }
                return;
            }
        }
        if (offered.contains(stream)) {
            return;
        }
        unlinked.remove(stream);
        closing.remove(index);
        host.onPublicationReleased(stream);
    }

    @Override
    public int send(long nowNs) {
        int work = 0;
        for (Link link : links) {
            work += send(link);
        }
        return work;
    }

    private int send(Link link) {
        if (link.isStopped) {
            return 0;
        }
        OutboundStream stream = link.stream;
        long credit = link.credit;
        stream.onReleased(credit, WINDOW);
        long from = stream.senderPosition();
        long to = link.scanner.available(from, credit + WINDOW, BATCH);
        if (to <= from) {
            return 0;
        }
        LogBuffers source = stream.log();
        LogBuffers target = link.image.log();
        int termLength = source.spec().termLength();
        int partition = LogLayout.partition(from, LogLayout.positionBitsToShift(termLength));
        int offset = LogLayout.termOffset(from, termLength);
        int length = (int) (to - from);
        UnsafeBuffer term = target.term(partition);
        zeroWordAt(target, to);
        term.putBytes(
                offset + Long.BYTES,
                source.term(partition),
                offset + Long.BYTES,
                length - Long.BYTES);
        long word = source.term(partition).getLongAcquire(offset);
        term.putLongRelease(offset, word);
        stream.senderPosition(to);
        return FrameHeader.length(word) > 0 ? 1 : 0;
    }

    private static void zeroWordAt(LogBuffers target, long position) {
        int termLength = target.spec().termLength();
        target.term(LogLayout.partition(position, LogLayout.positionBitsToShift(termLength)))
                .putLong(LogLayout.termOffset(position, termLength), 0);
    }

    @Override
    public int receive(long nowNs) {
        int work = 0;
        for (Link link : links) {
            long consumed = Math.max(link.credit, link.image.consumedPosition());
            if (consumed != link.credit && link.image.grant(consumed)) {
                link.credit = consumed;
                work++;
            }
        }
        return work;
    }

    @Override
    public void close() {
        links = new Link[0];
    }
}
