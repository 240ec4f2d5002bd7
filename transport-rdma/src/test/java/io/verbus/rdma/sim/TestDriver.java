// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.sim;

import io.verbus.BusException;
import io.verbus.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.rdma.RdmaTransport;
import io.verbus.rdma.link.RdmaOptions;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportHost;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A driver reduced to what a transport sees of it. */
final class TestDriver implements TransportHost, AutoCloseable {
    final SimFabric fabric;
    final RdmaTransport transport;
    final List<String> errors = new ArrayList<>();
    final List<String> failures = new ArrayList<>();
    final List<Boolean> rejections = new ArrayList<>();
    final List<TestImage> images = new ArrayList<>();
    final Set<OutboundStream> releasedStreams = new HashSet<>();
    final Set<Integer> subscribed = new HashSet<>();
    final List<TestStream> streams = new ArrayList<>();
    String setupRefusal;

    /** Connections that stood when the last image was lost. */
    int connectionsWhenLost = -1;

    private final long driverId;
    private final Path directory;
    private final Map<String, String> options = new HashMap<>();
    private final CountersManager counters =
            new CountersManager(
                    new UnsafeBuffer(ByteBuffer.allocateDirect(4 * 1024 * 1024)),
                    new UnsafeBuffer(ByteBuffer.allocateDirect(1024 * 1024)));
    private long nextId = 1;
    private boolean closed;

    TestDriver(SimNetwork network, String address, long driverId, Path directory, String... set) {
        this.driverId = driverId;
        this.directory = directory;
        for (int i = 0; i < set.length; i += 2) {
            options.put(set[i], set[i + 1]);
        }
        fabric = network.fabric(address);
        transport = new RdmaTransport(this, fabric, RdmaOptions.of(this), 0);
    }

    TestStream publish(ChannelUri channel, int streamId) {
        return publish(channel, streamId, (int) (driverId * 1000 + nextId));
    }

    TestStream publish(ChannelUri channel, int streamId, int sessionId) {
        long id = driverId * 1000 + nextId++;
        LogSpec spec =
                new LogSpec(id, sessionId, streamId, 5, channel.termLength(), channel.mtu(), 0);
        LogBuffers log = LogBuffers.create(directory.resolve("publication-" + id + ".log"), spec);
        TestStream stream = new TestStream(channel, log);
        streams.add(stream);
        transport.addPublication(stream);
        return stream;
    }

    InboundEndpoint subscribe(ChannelUri channel, int streamId) {
        InboundEndpoint endpoint = transport.openEndpoint(channel);
        subscribed.add(streamId);
        transport.onSubscriptionAdded(endpoint, streamId);
        return endpoint;
    }

    /** One image that is open; fails if there is none or there are more. */
    TestImage image() {
        if (images.size() != 1) {
            throw new AssertionError(images.size() + " images");
        }
        return images.getFirst();
    }

    private static void discard(LogBuffers log) {
        log.close();
        try {
            Files.delete(log.file());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String counterText() {
        StringBuilder text = new StringBuilder();
        counters.forEach(
                (id, label) -> text.append(label).append('=').append(value(id)).append('\n'));
        return text.toString();
    }

    private long value(int id) {
        return counters.getCounterValue(id);
    }

    /** Value of the counter with a label, or -1. */
    long value(String wanted) {
        long[] found = {-1};
        counters.forEach((id, label) -> found[0] = label.equals(wanted) ? value(id) : found[0]);
        return found[0];
    }

    /** Sum of the counters whose label ends so. */
    long counter(String labelEnd) {
        long[] sum = new long[1];
        counters.forEach(
                (id, label) -> {
                    if (label.endsWith(labelEnd)) {
                        sum[0] += value(id);
                    }
                });
        return sum[0];
    }

    @Override
    public long driverId() {
        return driverId;
    }

    @Override
    public String option(String name, String defaultValue) {
        return options.getOrDefault(name, defaultValue);
    }

    @Override
    public InboundImage onSetup(InboundEndpoint endpoint, ImageSetup setup) {
        if (setupRefusal != null) {
            throw new BusException(setupRefusal);
        }
        if (!subscribed.contains(setup.streamId())) {
            return null;
        }
        long id = driverId * 1000 + nextId++;
        LogSpec spec =
                new LogSpec(
                        id,
                        setup.sessionId(),
                        setup.streamId(),
                        setup.initialTermId(),
                        setup.termLength(),
                        setup.mtu(),
                        setup.position());
        LogBuffers log = LogBuffers.create(directory.resolve("image-" + id + ".log"), spec);
        TestImage image = new TestImage(id, setup, log);
        images.add(image);
        return image;
    }

    @Override
    public void onImageEnding(InboundImage image, long finalPosition) {
        ((TestImage) image).endingAt = finalPosition;
    }

    @Override
    public void onImageLost(InboundImage image, String reason) {
        for (SimConnection connection : fabric.connections()) {
            if (connection.domain().allowsAnyWriteTo(image.log().address())) {
                throw new AssertionError("an image is lost while a peer can still write its log");
            }
        }
        ((TestImage) image).lost = reason;
        connectionsWhenLost = fabric.connections().size();
    }

    @Override
    public void onImageReleased(InboundImage image) {
        ((TestImage) image).released = true;
        images.remove(image);
        discard(image.log());
    }

    @Override
    public void onPublicationReleased(OutboundStream stream) {
        if (!releasedStreams.add(stream)) {
            throw new AssertionError("a publication is released twice");
        }
        streams.remove(stream);
        discard(stream.log());
    }

    @Override
    public void onPublicationFailed(OutboundStream stream, boolean rejected, String message) {
        failures.add(message);
        rejections.add(rejected);
    }

    @Override
    public AtomicCounter counter(int typeId, long registrationId, String label) {
        return counters.newCounter(label, typeId);
    }

    @Override
    public AtomicCounter counter(OutboundStream stream, int typeId, String what) {
        return counter(typeId, stream.registrationId(), what);
    }

    @Override
    public void onError(Throwable error) {
        errors.add(error.getMessage());
    }

    /** A duty cycle of the conductor, while the driver runs; so for the other agents. */
    void conduct(long nowNs) {
        if (!closed) {
            transport.conduct(nowNs);
        }
    }

    void send(long nowNs) {
        if (!closed) {
            transport.send(nowNs);
        }
    }

    void receive(long nowNs) {
        if (!closed) {
            transport.receive(nowNs);
        }
    }

    /** Its process is killed: it does nothing any more, and its connections end. */
    void crash() {
        closed = true;
        fabric.crash();
    }

    /** Closes the transport, while the network does its part. */
    void closeTransport() {
        closed = true;
        fabric.network().settleWhenPolled(true);
        transport.close();
        fabric.network().settleWhenPolled(false);
    }

    @Override
    public void close() {
        closeTransport();
        for (TestStream stream : streams) {
            discard(stream.log());
        }
        for (TestImage image : images) {
            discard(image.log());
        }
    }
}
