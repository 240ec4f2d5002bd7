// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.transports;

import io.verbus.channel.ChannelUri;
import io.verbus.transport.InboundEndpoint;
import io.verbus.transport.InboundImage;
import io.verbus.transport.InboundTransport;
import io.verbus.transport.OutboundStream;
import io.verbus.transport.OutboundTransport;
import io.verbus.transport.Transport;
import io.verbus.transport.TransportHost;
import io.verbus.transport.TransportProvider;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Replaces the RDMA transport: the first subscription's port selects the part that throws an error.
 */
public final class FailingTransport implements Transport, OutboundTransport, InboundTransport {
    /** The failing part. */
    public enum Part {
        CONDUCTOR,
        SENDER,
        RECEIVER,
        BACKGROUND,

        /** Preparation of the transport. */
        PREPARATION,

        /** Exhausts the heap. */
        HEAP,

        /** The conductor throws an exception in every cycle, each with a different text. */
        FLOOD;

        public String channel() {
            return "verbus:rdma?endpoint=127.0.0.1:" + (ordinal() + 1);
        }
    }

    /** The thrown error. */
    public static final class InjectedError extends Error {
        private static final long serialVersionUID = 1;

        InjectedError(Part part) {
            super("injected into " + part);
        }
    }

    /** Opens the transport. */
    public static final class Provider implements TransportProvider {
        private final boolean isPreparationFailing;

        /** A transport that is prepared and opened. */
        public Provider() {
            this(false);
        }

        public Provider(boolean isPreparationFailing) {
            this.isPreparationFailing = isPreparationFailing;
        }

        @Override
        public void prepare() {
            if (isPreparationFailing) {
                throw new InjectedError(Part.PREPARATION);
            }
        }

        @Override
        public String media() {
            return "rdma";
        }

        @Override
        public boolean needsMemoryFileSystem() {
            return false;
        }

        @Override
        public Transport open(TransportHost host) {
            return new FailingTransport(host);
        }
    }

    private record Endpoint(String description) implements InboundEndpoint {}

    private static final int HOG = 64 * 1024;

    /** Remains reachable, so that the process has no heap left for its shutdown. */
    private static final List<byte[]> HOGS = new ArrayList<>();

    /**
     * Class path of a process whose drivers find this transport.
     *
     * @param folder for a file that names it.
     */
    public static String classPath(Path folder) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(
                services.resolve(TransportProvider.class.getName()),
                Provider.class.getName() + "\n");
        String others =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> !entry.contains("transport-rdma"))
                        .collect(Collectors.joining(File.pathSeparator));
        return folder + File.pathSeparator + others;
    }

    private final TransportHost host;

    /** Written by the conductor; read by sender and receiver. */
    private volatile Part failing;

    private long exceptions;

    private FailingTransport(TransportHost host) {
        this.host = host;
    }

    @Override
    public InboundEndpoint openEndpoint(ChannelUri channel) {
        failing = Part.values()[channel.endpoint().port() - 1];
        return new Endpoint(channel.endpoint().toString());
    }

    @Override
    public InboundEndpoint openDestination(ChannelUri channel) {
        return openEndpoint(channel);
    }

    private int work(Part part) {
        if (failing == part) {
            throw new InjectedError(part);
        }
        return 0;
    }

    @Override
    public int conduct(long nowNs) {
        if (failing == Part.BACKGROUND) {
            host.background(() -> work(Part.BACKGROUND), failure -> {});
        }
        while (failing == Part.HEAP) {
            HOGS.add(new byte[HOG]);
        }
        if (failing == Part.FLOOD) {
            IllegalStateException exception =
                    new IllegalStateException("injected exception " + ++exceptions);
            exception.setStackTrace(
                    new StackTraceElement[0]); // reported regardless of their number
            throw exception;
        }
        return work(Part.CONDUCTOR);
    }

    @Override
    public int send(long nowNs) {
        return work(Part.SENDER);
    }

    @Override
    public int receive(long nowNs) {
        return work(Part.RECEIVER);
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
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void closePublication(OutboundStream stream) {}

    @Override
    public void addDestination(OutboundStream stream, ChannelUri destination) {}

    @Override
    public void removeDestination(OutboundStream stream, ChannelUri destination) {}

    @Override
    public String localAddress(OutboundStream stream) {
        return null;
    }

    @Override
    public void joinEndpoint(InboundEndpoint endpoint, ChannelUri channel) {}

    @Override
    public void closeEndpoint(InboundEndpoint endpoint) {}

    @Override
    public void onSubscriptionAdded(InboundEndpoint endpoint, int streamId) {}

    @Override
    public void awaitResponses(InboundEndpoint endpoint, int streamId, int sessionId) {}

    @Override
    public void forgetResponses(InboundEndpoint endpoint, int streamId, int sessionId) {}

    @Override
    public void tellResponseSession(InboundImage image, Integer sessionId) {}

    @Override
    public void closeImage(InboundImage image) {}

    @Override
    public void rejectImage(InboundImage image, String reason) {}

    @Override
    public void close() {}
}
