// SPDX-License-Identifier: Apache-2.0

package io.verbus.transport;

import io.verbus.channel.ChannelUri;
import io.verbus.cnc.ConnectionCounter;
import io.verbus.cnc.ConnectionKey;
import io.verbus.cnc.CounterTypes;
import io.verbus.cnc.HopRecorder;
import io.verbus.cnc.LatencyFile;
import io.verbus.cnc.LatencyHop;
import io.verbus.cnc.SystemCounter;
import io.verbus.cnc.TransportCounter;
import io.verbus.logbuffer.FrontierScanner;
import io.verbus.logbuffer.LogBuffers;
import io.verbus.logbuffer.LogLayout;
import io.verbus.logbuffer.LogSpec;
import io.verbus.logbuffer.LogType;

import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A minimal driver as a transport sees it; records what the transport reports. */
public abstract class TestHost implements TransportHost, AutoCloseable {
    public final List<String> errors = new ArrayList<>();

    /** Reasons why publications could not be sent. */
    public final List<String> failures = new ArrayList<>();

    /** Reasons why publications wait for a receiver. */
    public final List<String> waits = new ArrayList<>();

    /** For each failure, whether the peer has rejected the stream. */
    public final List<Boolean> rejections = new ArrayList<>();

    /** Rejections of images by receivers' subscribers. */
    public final List<PeerRejection> imageRejections = new ArrayList<>();

    /** Sessions of responses that receivers have reported. */
    public final List<Integer> responseSessions = new ArrayList<>();

    /** Images not released yet. */
    public final List<TestImage> images = new ArrayList<>();

    /** Publications not released yet. */
    public final List<TestStream> streams = new ArrayList<>();

    public final Set<OutboundStream> releasedStreams = new HashSet<>();

    /** Stream ids for which an image is created when a peer offers them. */
    public final Set<Integer> subscribed = new HashSet<>();

    /** Channels of their subscriptions. */
    private final Map<Integer, ChannelUri> channels = new HashMap<>();

    /** Reason for rejecting the streams that peers offer, or null. */
    public String setupRefusal;

    /** Number of streams that peers have offered. */
    public int setups;

    /**
     * Whether a moved stream continues in a log that contains the unread frames, as with several
     * merged sources, rather than in an empty log.
     */
    public boolean movesFrames;

    /** Number of streams moved. */
    public int moves;

    /** Latency file for sampling hops, or null. */
    public LatencyFile latency;

    public long lossObservations;
    public long lossBytes;

    private final long driverId;
    private final Path directory;
    private final Map<String, String> options = new HashMap<>();
    private final TestCounters counters;
    private final Map<SystemCounter, AtomicCounter> system = new EnumMap<>(SystemCounter.class);

    /** Logs that an adapter may still access after the transport has closed. */
    public final List<LogBuffers> keptMapped = new ArrayList<>();

    /** Lines of the audit log. */
    public final List<String> audit = new ArrayList<>();

    private TestBackground background = new TestBackground(null);
    private long nextId = 1;

    /**
     * @param driverId id of the driver.
     * @param directory directory for its logs.
     * @param maxCounters number of counters that it has room for.
     * @param options names and values, alternating.
     */
    protected TestHost(long driverId, Path directory, int maxCounters, String... options) {
        this.driverId = driverId;
        this.directory = directory;
        for (int i = 0; i < options.length; i += 2) {
            this.options.put(options[i], options[i + 1]);
        }
        counters =
                new TestCounters(
                        buffer(maxCounters * CountersReader.METADATA_LENGTH),
                        buffer(maxCounters * CountersReader.COUNTER_LENGTH));
    }

    private static UnsafeBuffer buffer(int length) {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(length));
    }

    @Override
    public StreamHops hops(
            OutboundStream stream, String destination, LatencyHop wire, long reportIntervalNs) {
        if (latency == null) {
            return null;
        }
        LogSpec spec = stream.log().spec();
        LatencyFile.Owner owner =
                new LatencyFile.Owner(
                        wire,
                        spec.registrationId(),
                        spec.streamId(),
                        spec.sessionId(),
                        stream.channel().toString(),
                        destination);
        return new StreamHops(
                latency.add(owner.with(LatencyHop.SENDER)),
                latency.add(owner),
                latency.add(owner.with(LatencyHop.SUBSCRIBER)),
                1,
                reportIntervalNs,
                0);
    }

    @Override
    public void free(StreamHops hops) {
        if (hops != null) {
            latency.remove(hops.sender());
            latency.remove(hops.wire());
            latency.remove(hops.subscriber());
        }
    }

    @Override
    public HopRecorder roundTrips(String peer) {
        return latency == null
                ? null
                : latency.add(new LatencyFile.Owner(LatencyHop.ROUND_TRIP, 0, 0, 0, "", peer));
    }

    @Override
    public void free(HopRecorder recorder) {
        if (recorder != null) {
            latency.remove(recorder);
        }
    }

    /** Returns the transport under test, which uses this host. */
    protected abstract Transport transport();

    /**
     * Runs slow calls in separate steps from now on.
     *
     * @param random source of the order of steps.
     */
    public void takeLong(Random random) {
        background = new TestBackground(random);
    }

    /** Runs one step of a slow call. */
    public void stepBackground() {
        background.step();
    }

    /** Adds a publication with an arbitrary session. */
    public TestStream publish(ChannelUri channel, int streamId) {
        return publish(channel, streamId, (int) (driverId * 1000 + nextId));
    }

    /** Adds a publication. */
    public TestStream publish(ChannelUri channel, int streamId, int sessionId) {
        long id = driverId * 1000 + nextId++;
        LogSpec spec =
                new LogSpec(
                        LogType.CONCURRENT_PUBLICATION,
                        id,
                        sessionId,
                        streamId,
                        5,
                        channel.termLength(),
                        channel.mtu(),
                        0);
        LogBuffers log = LogBuffers.create(directory.resolve("publication-" + id + ".log"), spec);
        TestStream stream = new TestStream(channel, log);
        streams.add(stream);
        requireNotRefused(transport().outbound().addPublication(stream));
        return stream;
    }

    /** Opens an endpoint for a subscription. */
    public InboundEndpoint subscribe(ChannelUri channel, int streamId) {
        InboundEndpoint endpoint = open(channel);
        subscribed.add(streamId);
        channels.putIfAbsent(streamId, channel);
        transport().inbound().onSubscriptionAdded(endpoint, streamId);
        return endpoint;
    }

    /**
     * Opens an endpoint, which may take until a later cycle.
     *
     * @throws TransportException if it is refused immediately.
     */
    public InboundEndpoint open(ChannelUri channel) {
        InboundEndpoint endpoint = transport().inbound().openEndpoint(channel);
        requireNotRefused(endpoint.opened());
        return endpoint;
    }

    /** Throws the exception of a future that has failed. */
    public static void requireNotRefused(CompletableFuture<Void> result) {
        if (result.isCompletedExceptionally()) {
            throw (RuntimeException) result.exceptionNow();
        }
    }

    /** Returns the only open image; fails if there is not exactly one. */
    public TestImage image() {
        if (images.size() != 1) {
            throw new AssertionError(images.size() + " images");
        }
        return images.getFirst();
    }

    /** Returns all counters, one per line. */
    public String counterText() {
        StringBuilder text = new StringBuilder();
        counters.forEach(
                (id, label) -> text.append(label).append('=').append(value(id)).append('\n'));
        return text.toString();
    }

    private long value(int id) {
        return counters.getCounterValue(id);
    }

    /** Returns the value of the counter with a label, or -1. */
    public long value(String wanted) {
        long[] found = {-1};
        counters.forEach((id, label) -> found[0] = label.equals(wanted) ? value(id) : found[0]);
        return found[0];
    }

    /** Returns the sum of the counters whose label has the ending. */
    public long counter(String labelEnd) {
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
    public InetSocketAddress address(String name, int port) {
        return new InetSocketAddress(name, port);
    }

    @Override
    public CompletableFuture<Void> lookUp(String name) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void background(Runnable work, Consumer<RuntimeException> then) {
        background.call(work, then);
    }

    @Override
    public void backgroundOn(LogBuffers log, Runnable work, Consumer<RuntimeException> then) {
        background.callLater(log, work, then);
    }

    @Override
    public void keepMapped(LogBuffers log) {
        keptMapped.add(log);
    }

    @Override
    public boolean onSetup(InboundEndpoint endpoint, ImageSetup setup, SetupAnswer answer) {
        setups++;
        if (setupRefusal != null) {
            answer.onFailed(setupRefusal);
            return true;
        }
        if (!subscribed.contains(setup.streamId())) {
            return false;
        }
        background.callLater(null, () -> {}, failure -> makeImage(setup, answer));
        return true;
    }

    private void makeImage(ImageSetup setup, SetupAnswer answer) {
        if (!subscribed.contains(setup.streamId())) {
            answer.onUnwanted();
            return;
        }
        answer.onImage(addImage(setup));
    }

    private TestImage addImage(ImageSetup setup) {
        long id = driverId * 1000 + nextId++;
        LogBuffers log =
                LogBuffers.create(directory.resolve("image-" + id + ".log"), setup.logSpec(id));
        TestImage image = new TestImage(id, channels.get(setup.streamId()), setup, log);
        images.add(image);
        return image;
    }

    @Override
    public void onImageStopped(InboundImage image, Consumer<InboundImage> goOn) {
        background.callLater(null, () -> {}, failure -> move((TestImage) image, goOn));
    }

    private void move(TestImage image, Consumer<InboundImage> goOn) {
        if (!images.contains(image) || image.lost != null || image.endingAt >= 0) {
            return;
        }
        long frontier = FrontierScanner.scan(image.log(), image.position()).position();
        image.movedAt = movesFrames ? image.position() : frontier;
        TestImage next = addImage(image.setup.at(image.movedAt));
        next.goesOnFrom(image);
        if (movesFrames) {
            for (int i = 0; i < LogLayout.PARTITIONS; i++) {
                next.log().term(i).putBytes(0, image.log().term(i), 0, image.setup.termLength());
            }
        }
        moves++;
        goOn.accept(next);
    }

    @Override
    public void onImageEnding(InboundImage image, long finalPosition) {
        ((TestImage) image).endingAt = finalPosition;
        image.log().metadata().putLongRelease(LogLayout.END_OF_STREAM, finalPosition);
    }

    @Override
    public void onImageRevoked(InboundImage image, long finalPosition) {
        ((TestImage) image).revokedAt = finalPosition;
    }

    @Override
    public void onImageRejected(OutboundStream stream, PeerRejection rejection) {
        imageRejections.add(rejection);
    }

    @Override
    public void onResponseSession(OutboundStream stream, int sessionId) {
        responseSessions.add(sessionId);
    }

    @Override
    public void onImageLost(InboundImage image, String reason) {
        ((TestImage) image).lost = reason;
    }

    @Override
    public void onImageReleased(InboundImage image) {
        ((TestImage) image).release();
        images.remove(image);
        free(image.log());
    }

    @Override
    public void onLocalAddressChanged(OutboundStream stream) {}

    @Override
    public void onLocalAddressChanged(InboundEndpoint endpoint) {}

    @Override
    public void onPublicationReleased(OutboundStream stream) {
        if (!releasedStreams.add(stream)) {
            throw new AssertionError("a publication is released twice");
        }
        ((TestStream) stream).release();
        streams.remove(stream);
        free(stream.log());
    }

    @Override
    public void onPublicationFailed(OutboundStream stream, boolean rejected, String message) {
        failures.add(message);
        rejections.add(rejected);
    }

    @Override
    public void onPublicationWaits(OutboundStream stream, String message) {
        waits.add(message);
    }

    @Override
    public SortedSet<Integer> streamsInsteadOf(
            InboundEndpoint endpoint, int streamId, int sessionId) {
        return subscribed.contains(streamId) ? null : new TreeSet<>(subscribed);
    }

    @Override
    public AtomicCounter counter(TransportCounter counter) {
        return counters.newCounter(counter.label(), CounterTypes.DRIVER);
    }

    @Override
    public AtomicCounter counter(ConnectionCounter counter, ConnectionKey key, String label) {
        counters.check();
        return counters.newCounter(
                label, CounterTypes.CONNECTION, buffer -> key.putTo(buffer, counter));
    }

    @Override
    public AtomicCounter deviceCounter(String device, int port) {
        return counters.newCounter("device: " + device + " " + port, CounterTypes.DEVICE);
    }

    @Override
    public AtomicCounter counter(OutboundStream stream, int typeId, String what) {
        return counters.newCounter(what, typeId);
    }

    @Override
    public AtomicCounter counter(
            OutboundStream stream, int typeId, String destination, String what) {
        counters.check();
        return counters.newCounter(what + " " + destination, typeId);
    }

    @Override
    public AtomicCounter counter(SystemCounter counter) {
        return system.computeIfAbsent(counter, each -> counters.newCounter(each.label(), 0));
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
    public void audit(String event) {
        audit.add(event);
    }

    @Override
    public void onError(Throwable error) {
        errors.add(error.getMessage());
    }

    @Override
    public void onError(ChannelUri channel, Throwable error) {
        errors.add("channel '" + channel.written() + "': " + error.getMessage());
    }

    /** Releases a log that the transport no longer touches. */
    protected void free(LogBuffers log) {
        if (background.uses(log)) {
            throw new AssertionError("a log is released that a call in the background is about");
        }
        discard(log);
    }

    /** Finishes slow calls before the transport is closed. */
    protected void closeBackground() {
        background.close();
    }

    /** Closes the transport, which may need others to take part. */
    protected void closeTransport() {
        closeBackground();
        transport().close();
    }

    /** Closes the transport, and discards what it has not released. */
    @Override
    public void close() {
        closeTransport();
        counters.check();
        streams.forEach(stream -> discard(stream.log()));
        images.forEach(image -> discard(image.log()));
    }

    private void discard(LogBuffers log) {
        if (keptMapped.contains(log)) {
            return;
        }
        log.close();
        try {
            Files.delete(log.file());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
