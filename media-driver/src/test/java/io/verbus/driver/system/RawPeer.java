// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import io.verbus.codecs.rdma.RejectCode;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.FabricHandler;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.fabric.RemoteKey;
import io.verbus.rdma.link.ControlReader;
import io.verbus.rdma.link.ControlWriter;
import io.verbus.rdma.link.Greeting;
import io.verbus.rdma.link.Offer;
import io.verbus.rdma.verbs.VerbsFabric;

import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;

/** A peer of drivers that says and writes what no driver would. For one thread. */
final class RawPeer implements AutoCloseable, FabricHandler, QueuePair.Handler {
    /** Any number: this peer's identity as a driver. */
    static final long DRIVER_ID = 0x7E57;

    private static final int MEMORY = 4096;

    private final VerbsFabric fabric = VerbsFabric.open();
    private final ControlReader reader = new ControlReader();
    private final ControlWriter writer = new ControlWriter();
    private final Arena arena = Arena.ofShared();
    private byte[] answerToRequests = new byte[0];
    private Connection connection;
    private RegisteredMemory memory;
    private RegisteredMemory credit;
    private UnsafeBuffer buffer;
    private byte[] answer;
    private String end;
    private Accepted accepted;

    /** Where a driver lets this peer write an image. */
    record Accepted(long logAddress, int logKey, long position, int window) {}

    /** A greeting as a driver of this version would send. */
    static byte[] goodGreeting() {
        return Greeting.of(DRIVER_ID, RejectCode.UNSPECIFIED);
    }

    // Connecting

    /** Connects; {@link #isUp} or {@link #end} tells what came of it. */
    RawPeer connect(String host, int port, byte[] greeting) {
        connection =
                fabric.connect(
                        new InetSocketAddress(host, port),
                        new InetSocketAddress(Host.addressA(), 0),
                        ConnectionOptions.DEFAULT,
                        null,
                        greeting);
        pollUntil("an answer to the request", () -> memory != null || end != null);
        return this;
    }

    /** Listens, and accepts whoever comes with the answer. */
    RawPeer listen(String host, int port, byte[] privateData) {
        answerToRequests = privateData;
        fabric.listen(new InetSocketAddress(host, port), ConnectionOptions.DEFAULT);
        return this;
    }

    boolean isUp() {
        return memory != null && end == null;
    }

    /** Why the connection has ended or could not be made; null while it stands. */
    String end() {
        return end;
    }

    /** Private data of the other side's answer. */
    byte[] answer() {
        return answer;
    }

    /** What was accepted of this peer's offer; null if nothing was. */
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

    void poll() {
        fabric.poll(this);
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
        request.accept(answerToRequests);
    }

    @Override
    public void onEstablished(Connection established, byte[] privateData) {
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
        }
    }

    // Talking

    @Override
    public void onMessage(long address, int length) {
        reader.readAnswer(
                address,
                length,
                new ControlReader.Answers() {
                    @Override
                    public void onAccept(
                            long registrationId,
                            long logAddress,
                            int logKey,
                            long position,
                            int window) {
                        accepted = new Accepted(logAddress, logKey, position, window);
                    }

                    @Override
                    public void onDefer(long registrationId) {}

                    @Override
                    public void onReject(long registrationId, RejectCode code, String text) {
                        end = code + ": " + text;
                    }

                    @Override
                    public void onImageClosed(long registrationId) {}

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
        Offer offer =
                new Offer(
                        1,
                        sessionId,
                        streamId,
                        0,
                        termLength,
                        4096,
                        0,
                        credit.address(),
                        credit.remoteKey().value(),
                        0,
                        false);
        sendBuffer(writer.setup(buffer, 0, offer, 0, false));
        pollUntil("an image for the stream", () -> accepted != null || end != null);
        return accepted;
    }

    private void sendBuffer(int length) {
        connection.queuePair().stageSend(memory.address(), length, memory.localKey());
        complete();
    }

    /** Writes bytes into the image, at an offset from its first term. */
    void write(byte[] bytes, long offset) {
        buffer.putBytes(0, bytes);
        connection
                .queuePair()
                .stageWrite(
                        memory.address(),
                        bytes.length,
                        memory.localKey(),
                        accepted.logAddress() + offset,
                        new RemoteKey(accepted.logKey()));
        complete();
    }

    private void complete() {
        long posted = connection.queuePair().post(true);
        pollUntil(
                "completion of what was posted",
                () -> end != null || connection.queuePair().completed() >= posted);
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
        fabric.close();
        arena.close();
    }
}
