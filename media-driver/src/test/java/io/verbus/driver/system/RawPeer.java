// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.codecs.rdma.StreamEnd;
import io.verbus.driver.Await;
import io.verbus.rdma.auth.Proof;
import io.verbus.rdma.common.ControlDecoder;
import io.verbus.rdma.common.ControlEncoder;
import io.verbus.rdma.common.Hello;
import io.verbus.rdma.common.Setup;
import io.verbus.rdma.common.Versions;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.rdma.verbs.VerbsException;
import io.verbus.rdma.verbs.VerbsFabric;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/** A peer that can send and write what no driver would. For one thread. */
final class RawPeer implements AutoCloseable, FabricHandler, QueuePair.Handler {
    /** An arbitrary number: this peer's identity as a driver. */
    static final long DRIVER_ID = 0x7E57;

    private static final int MEMORY = 4096;

    private static final ConnectionOptions SMALL =
            new ConnectionOptions(
                    16, 8, 256, 64, 6, 7, 14, ConnectionOptions.ANY, ConnectionOptions.ANY, null);

    private final List<Connection> strays = new ArrayList<>();
    private final VerbsFabric fabric = VerbsFabric.open(VerbsException::rethrowUnlessWarning);
    private final ControlDecoder reader = new ControlDecoder();
    private final ControlEncoder writer = new ControlEncoder(Versions.OURS.highest());
    private final Arena arena = Arena.ofShared();
    private byte[] answerToRequests = new byte[0];
    private Connection connection;
    private RegisteredMemory memory;
    private RegisteredMemory credit;
    private UnsafeBuffer buffer;
    private byte[] answer;
    private String end;
    private Accepted accepted;
    private boolean listens;
    private Setup offered;
    private int straysEnded;

    /** Memory in which a driver lets this peer write an image. */
    record Accepted(long logAddress, int logKey, long position, int window) {}

    /** A hello as a driver of this version would send. */
    static byte[] goodHello() {
        return Hello.of(DRIVER_ID, RejectCode.UNSPECIFIED);
    }

    // Connecting

    /** Connects; {@link #isUp} or {@link #end} report the result. */
    RawPeer connect(String host, int port, byte[] hello) {
        connection =
                fabric.connect(
                        new InetSocketAddress(host, port),
                        new InetSocketAddress(Host.addressA(), 0),
                        ConnectionOptions.DEFAULT,
                        null,
                        hello);
        pollUntil("an answer to the request", () -> memory != null || end != null);
        return this;
    }

    /** Listens, and accepts every connection with the answer. */
    RawPeer listen(String host, int port, byte[] privateData) {
        answerToRequests = privateData;
        listens = true;
        Listener listener =
                fabric.listen(new InetSocketAddress(host, port), ConnectionOptions.DEFAULT);
        pollUntil("it listens", () -> listener.opened().isDone());
        if (listener.refusal() != null) {
            throw listener.refusal();
        }
        return this;
    }

    boolean isUp() {
        return memory != null && end == null;
    }

    /** Reason for the connection's end or failure; null while it is up. */
    String end() {
        return end;
    }

    /** Private data of the other side's answer. */
    byte[] answer() {
        return answer;
    }

    /** The acceptance of this peer's offer; null if there is none. */
    Accepted accepted() {
        return accepted;
    }

    void pollUntil(String what, BooleanSupplier condition) {
        Await.until(
                what,
                () -> {
                    poll();
                    return condition.getAsBoolean();
                });
    }

    /** Connects so many times, says nothing, and waits until the driver has ended one of them. */
    void connectIdly(String host, int port, int times) {
        for (int i = 0; i < times; i++) {
            strays.add(
                    fabric.connect(
                            new InetSocketAddress(host, port),
                            new InetSocketAddress(Host.addressA(), 0),
                            SMALL,
                            null,
                            goodHello()));
        }
        pollUntil("the end of one of " + times + " connections", () -> straysEnded > 0);
    }

    void poll() {
        fabric.poll(this, System.nanoTime());
        if (isUp()) {
            connection.queuePair().poll(this);
        }
    }

    @Override
    public void onConnectRequest(
            Listener listener,
            Connection request,
            InetSocketAddress remoteAddress,
            byte[] privateData) {
        if (connection != null) {
            closeConnection();
        }
        connection = request;
        end = null;
        offered = null;
        request.accept(answerToRequests);
    }

    @Override
    public void onEstablished(Connection established, byte[] privateData) {
        if (established != connection) {
            return;
        }
        answer = privateData;
        memory =
                established
                        .domain()
                        .register(
                                arena.allocate(MEMORY, MEMORY).address(),
                                MEMORY,
                                Access.LOCAL_READ);
        credit =
                established
                        .domain()
                        .register(
                                arena.allocate(MEMORY, MEMORY).address(),
                                MEMORY,
                                Access.REMOTE_WRITE);
        buffer = new UnsafeBuffer(memory.address(), MEMORY);
    }

    @Override
    public void onEnded(Connection ended, Cause cause, String reason, byte[] privateData) {
        if (ended == connection) {
            end = cause + ": " + reason;
            answer = privateData;
        } else if (cause == Cause.DISCONNECTED) {
            straysEnded++;
        }
    }

    // Talking

    @Override
    public void onMessage(long address, int length) {
        if (listens) {
            reader.readOffer(
                    address,
                    length,
                    new ControlDecoder.Offers() {
                        @Override
                        public void onProof(Proof proof) {}

                        @Override
                        public void onSetup(Setup offer) {
                            offered = offer;
                        }

                        @Override
                        public void onClose(
                                long registrationId, long finalPosition, StreamEnd end) {}

                        @Override
                        public void onGoodbye() {}
                    });
            return;
        }
        reader.readAnswer(
                address,
                length,
                new ControlDecoder.Answers() {
                    @Override
                    public void onAccept(
                            long registrationId,
                            long logAddress,
                            int logKey,
                            long position,
                            int window,
                            boolean isTagged,
                            long groupTag) {
                        accepted = new Accepted(logAddress, logKey, position, window);
                    }

                    @Override
                    public void onAgain(long registrationId) {}

                    @Override
                    public void onDefer(long registrationId, String streams) {}

                    @Override
                    public void onWanted(long registrationId) {}

                    @Override
                    public void onReject(long registrationId, RejectCode code, String text) {
                        end = code + ": " + text;
                    }

                    @Override
                    public void onImageClosed(long registrationId) {}

                    @Override
                    public void onResponseSession(long registrationId, int sessionId) {}

                    @Override
                    public void onGoodbye() {}
                });
    }

    @Override
    public void onFailure(String reason) {
        if (end == null) {
            end = reason;
        }
    }

    /** Sends any bytes as a control message. */
    void send(byte[] message) {
        buffer.putBytes(0, message);
        sendBuffer(message.length);
    }

    /** Offers a stream and waits for the image. */
    Accepted offer(int streamId, int sessionId, int termLength) {
        setup(good(1, streamId, sessionId, termLength));
        pollUntil("an image for the stream", () -> accepted != null || end != null);
        return accepted;
    }

    /** A valid offer. */
    Setup good(long registrationId, int streamId, int sessionId, int termLength) {
        return new Setup(
                registrationId,
                sessionId,
                streamId,
                0,
                termLength,
                4096,
                0,
                credit.address(),
                credit.remoteKey().value(),
                0,
                false,
                false,
                0);
    }

    /** Sends an offer unchanged. */
    void setup(Setup offer) {
        sendBuffer(writer.setup(buffer, 0, offer, offer.position(), offer.isResuming()));
    }

    /** Reports the end of a stream. */
    void sendClose(long registrationId, long position, boolean isPlaced) {
        sendBuffer(
                writer.close(
                        buffer,
                        0,
                        registrationId,
                        position,
                        isPlaced ? StreamEnd.PLACED : StreamEnd.UNWRITTEN));
    }

    /** Accepts a stream: the log may be anywhere. */
    void accept(long registrationId, long address, int key, long position, int window) {
        sendBuffer(
                writer.accept(
                        buffer,
                        0,
                        registrationId,
                        address,
                        key,
                        position,
                        window,
                        OptionalLong.empty()));
    }

    /** Requests a stream again. */
    void again(long registrationId) {
        sendBuffer(writer.again(buffer, 0, registrationId));
    }

    /** Reports a closed image. */
    void imageClosed(long registrationId) {
        sendBuffer(writer.imageClosed(buffer, 0, registrationId));
    }

    /** Memory that the other side may write. */
    RegisteredMemory writable() {
        return credit;
    }

    /** The other side's last offer; null if there is none. */
    Setup offered() {
        return offered;
    }

    /** Discards the last offer, so that the next one is noticed. */
    void forgetOffer() {
        offered = null;
    }

    private void sendBuffer(int length) {
        if (!isUp()) {
            return;
        }
        pollUntil("room at the peer", () -> end != null || connection.queuePair().canSend());
        if (end != null) {
            return;
        }
        connection.queuePair().stageSend(memory.address(), length, memory.localKey());
        complete();
    }

    /** Writes bytes into the image, at an offset from its first term. */
    void write(byte[] bytes, long offset) {
        writeTo(bytes, accepted.logAddress() + offset, accepted.logKey());
    }

    /** Writes bytes to any address. */
    void writeTo(byte[] bytes, long address, int key) {
        if (!isUp()) {
            return;
        }
        buffer.putBytes(0, bytes);
        connection
                .queuePair()
                .stageWrite(
                        memory.address(),
                        bytes.length,
                        memory.localKey(),
                        address,
                        new RemoteKey(key));
        long awaited = ask();
        pollUntil(
                "an answer behind what was written",
                () -> end != null || connection.queuePair().answered() >= awaited);
    }

    /** Sends a probe, whether or not the last one was answered. */
    long ask() {
        long awaited = connection.queuePair().stageProbe();
        connection.queuePair().post(true);
        return awaited;
    }

    boolean isIwarp() {
        return connection.path().isIwarp();
    }

    private void complete() {
        long posted = connection.queuePair().post(true);
        pollUntil(
                "completion of what was posted",
                () -> end != null || connection.queuePair().completed() >= posted);
    }

    /** Ends the connection without a message. */
    void leave() {
        if (connection != null) {
            closeConnection();
        }
    }

    private void closeConnection() {
        connection.close();
        if (memory != null) {
            memory.close();
            credit.close();
            memory = null;
        }
        if (connection.domain() != null) {
            connection.domain().close();
        }
        connection = null;
    }

    @Override
    public void close() {
        if (connection != null) {
            closeConnection();
        }
        strays.forEach(Connection::close);
        fabric.close();
        arena.close();
    }
}
