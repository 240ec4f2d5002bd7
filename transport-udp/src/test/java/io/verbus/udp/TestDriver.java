// SPDX-License-Identifier: Apache-2.0

package io.verbus.udp;

import io.verbus.ChannelUri;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogSpec;
import io.verbus.transport.ImageSetup;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.TransportHost;
import io.verbus.udp.link.UdpOptions;

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

/** A driver reduced to what a transport sees of it, with a clock that the test moves. */
final class TestDriver implements TransportHost, AutoCloseable {
    static final long MS = 1_000_000;

    final UdpTransport transport;
    final List<String> errors = new ArrayList<>();
    final List<TestImage> images = new ArrayList<>();
    final List<TestStream> streams = new ArrayList<>();
    final Set<OutboundStream> released = new HashSet<>();
    final Set<Integer> subscribed = new HashSet<>();
    long nowNs = 1;
    int setups;
    long lossObservations;
    long lossBytes;

    private final long driverId;
    private final Path directory;
    private final Map<String, String> options = new HashMap<>();
    private final CountersManager counters =
            new CountersManager(
                    new UnsafeBuffer(ByteBuffer.allocateDirect(512 * 1024)),
                    new UnsafeBuffer(ByteBuffer.allocateDirect(128 * 1024)));
    private long nextId = 1;

    TestDriver(long driverId, Path directory, String... set) {
        this.driverId = driverId;
        this.directory = directory;
        for (int i = 0; i < set.length; i += 2) {
            options.put(set[i], set[i + 1]);
        }
        transport = new UdpTransport(this, UdpOptions.of(this), nowNs);
    }

    /** One cycle of all agents. */
    void turn() {
        transport.conduct(nowNs);
        transport.send(nowNs);
        transport.receive(nowNs);
        streams.forEach(TestStream::clean);
    }

    /** A while of the test's time, in steps of a millisecond. */
    void turn(long milliseconds) {
        for (long i = 0; i < milliseconds; i++) {
            nowNs += MS;
            turn();
        }
    }

    TestStream publish(ChannelUri channel, int streamId) {
        long id = driverId * 1000 + nextId++;
        LogSpec spec =
                new LogSpec(id, (int) id, streamId, 5, channel.termLength(), channel.mtu(), 0);
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

    private static void discard(LogBuffers log) {
        log.close();
        try {
            Files.delete(log.file());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long counter(String label) {
        long[] value = {-1};
        counters.forEach(
                (id, text) -> {
                    if (text.equals("udp: " + label)) {
                        value[0] = counters.getCounterValue(id);
                    }
                });
        return value[0];
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
        setups++;
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
        ((TestImage) image).lost = reason;
    }

    @Override
    public void onImageReleased(InboundImage image) {
        ((TestImage) image).released = true;
        images.remove(image);
        discard(image.log());
    }

    @Override
    public void onPublicationReleased(OutboundStream stream) {
        if (!released.add(stream)) {
            throw new AssertionError("a publication is released twice");
        }
        streams.remove(stream);
        discard(stream.log());
    }

    @Override
    public void onPublicationFailed(OutboundStream stream, boolean rejected, String message) {
        errors.add(message);
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
    public void onLoss(
            int streamId,
            int sessionId,
            String channel,
            String source,
            long observations,
            long bytes) {
        lossObservations += observations;
        lossBytes += bytes;
    }

    @Override
    public void onError(Throwable error) {
        errors.add(error.getMessage());
    }

    @Override
    public void close() {
        transport.close();
        streams.forEach(stream -> discard(stream.log()));
        images.forEach(image -> discard(image.log()));
    }
}
