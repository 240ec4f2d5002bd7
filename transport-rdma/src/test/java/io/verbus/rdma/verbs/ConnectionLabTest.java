// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.FabricHandler.Cause;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Arrays;

@Tag("lab")
@Tag("slow")
@Timeout(240)
class ConnectionLabTest {
    private final Lab lab = new Lab();

    @AfterEach
    void close() {
        lab.close();
    }

    @Test
    void carriesPrivateDataBothWays() {
        Listener listener = lab.listen();
        byte[] question = pattern(56, 3);
        byte[] answer = pattern(128, 5);

        Connection a = lab.connect(listener.localAddress(), null, question);
        Connection b = lab.awaitRequest();
        b.accept(answer);
        Await.until(
                "both ends established",
                () -> !lab.eventsA.established.isEmpty() && !lab.eventsB.established.isEmpty(),
                lab::poll);

        assertArrayEquals(question, Arrays.copyOf(lab.eventsB.requestData.getFirst(), 56));
        assertArrayEquals(answer, Arrays.copyOf(lab.eventsA.establishedData.getFirst(), 128));
        assertEquals(0, lab.eventsB.establishedData.getFirst().length);
        assertSame(a, lab.eventsA.established.getFirst());
        assertSame(b, lab.eventsB.established.getFirst());
        assertEquals(listener.localAddress(), a.remoteAddress());
        assertEquals(Lab.addressA(), a.localAddress().getAddress().getHostAddress());
        assertEquals(a.localAddress(), b.remoteAddress());
        assertEquals(listener.localAddress(), b.localAddress());
    }

    @Test
    void bindsFreePort() {
        assertTrue(lab.listen().localAddress().getPort() > 0);
    }

    @Test
    void reportsPortInUse() {
        Listener listener = lab.listen();
        VerbsException thrown =
                assertThrows(
                        VerbsException.class,
                        () -> lab.listen(lab.fabricA, listener.localAddress(), Lab.OPTIONS));
        assertEquals(Errno.EADDRINUSE, thrown.errno());
        assertTrue(
                thrown.getMessage().contains(SocketAddresses.text(listener.localAddress())),
                thrown.getMessage());
        assertTrue(thrown.getMessage().contains("another port"), thrown.getMessage());
    }

    @Test
    void listensAgainAtClosedPort() {
        Listener listener = lab.listen();
        listener.close();
        lab.listen(lab.fabricB, listener.localAddress(), Lab.OPTIONS).close();
    }

    @Test
    void reportsAddressWithoutRdmaDevice() {
        VerbsException thrown =
                assertThrows(
                        VerbsException.class,
                        () -> lab.listen(lab.fabricB, Lab.at("192.0.2.1", 0), Lab.OPTIONS));
        assertTrue(thrown.getMessage().contains("rdma link"), thrown.getMessage());
    }

    @Test
    void reportsMissingListener() {
        Listener listener = lab.listen();
        listener.close();
        String expected = "nothing listens at " + SocketAddresses.text(listener.localAddress());
        // Until its id is destroyed, it rejects connections itself.
        Await.until(
                expected,
                () -> {
                    Connection a = lab.connect(listener.localAddress(), null, new byte[0]);
                    var ended = lab.awaitEnd(lab.eventsA, a);
                    assertEquals(Cause.REJECTED, ended.cause());
                    return ended.reason().contains(expected);
                },
                lab::poll);
    }

    @Test
    void carriesPrivateDataOfRejection() {
        Connection a = lab.connect(lab.listen().localAddress(), null, new byte[0]);
        Connection b = lab.awaitRequest();
        b.reject(new byte[] {7, 8, 9}, failure -> fail(failure));
        assertNull(b.domain());
        var ended = lab.awaitEnd(lab.eventsA, a);
        assertEquals(Cause.REJECTED, ended.cause());
        assertArrayEquals(new byte[] {7, 8, 9}, Arrays.copyOf(ended.privateData(), 3));
    }

    @Test
    void reportsUnreachableAddress() {
        String absent = Lab.addressB().substring(0, Lab.addressB().lastIndexOf('.')) + ".99";
        Connection a = lab.connect(Lab.at(absent, 4000), null, new byte[0]);
        var ended = lab.awaitEnd(lab.eventsA, a);
        assertEquals(Cause.UNREACHABLE, ended.cause());
        assertTrue(ended.reason().contains(absent + ":4000"), ended.reason());
    }

    @Test
    void notifiesPeerOfClose() {
        Lab.Pair pair = lab.connectTo(lab.listen());
        pair.a().close();
        assertEquals(Cause.DISCONNECTED, lab.awaitEnd(lab.eventsB, pair.b()).cause());
        pair.b().close();
        assertEquals(1, lab.eventsB.ended.size());
        assertEquals(0, lab.eventsA.ended.size());
    }

    @Test
    void reconnectsInSameDomain() {
        Listener listener = lab.listen();
        Lab.Pair first = lab.connectTo(listener);
        lab.close(first.a());
        Lab.Pair second = lab.connectTo(listener, first.a().domain());
        assertSame(first.a().domain(), second.a().domain());
        assertNotSame(first.b().domain(), second.b().domain());
    }

    @Test
    void closesConnectionUnderTraffic() {
        Listener listener = lab.listen();
        for (int round = 0; round < 5; round++) {
            Lab.Pair pair = lab.connectTo(listener);
            RegisteredMemory source = lab.register(pair.a(), 4096, Access.LOCAL_READ);
            RegisteredMemory target = lab.register(pair.b(), 4096, Access.REMOTE_WRITE);
            QueuePair qp = pair.a().queuePair();
            while (qp.free() > 0) {
                qp.stageWrite(
                        source.address(),
                        4096,
                        source.localKey(),
                        target.address(),
                        target.remoteKey());
            }
            qp.post(false);
            boolean writerFirst = (round & 1) == 0;
            lab.close(writerFirst ? pair.a() : pair.b());
            if (!writerFirst) {
                Lab.Inbox inbox = new Lab.Inbox();
                Await.until(
                        "all written or failure",
                        () -> !inbox.failures.isEmpty() || qp.completed() == qp.post(false),
                        () -> qp.poll(inbox));
                assertTrue(inbox.failures.size() <= 1);
            }
            lab.close(writerFirst ? pair.b() : pair.a());
            source.close();
            target.close();
            pair.a().domain().close();
            pair.b().domain().close();
        }
    }

    @Test
    void detectsKilledPeerProcess() throws Exception {
        Listener listener = lab.listen();
        Process child =
                LabChild.start(
                        "connect",
                        Lab.addressA(),
                        Lab.addressB(),
                        Integer.toString(listener.localAddress().getPort()));
        try {
            Connection b = lab.awaitRequest();
            b.accept(new byte[0]);
            Await.until("established", () -> lab.eventsB.established.contains(b), lab::poll);
            child.destroyForcibly();
            assertEquals(Cause.DISCONNECTED, lab.awaitEnd(lab.eventsB, b).cause());
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    @Test
    void closesOpenResourcesWithFabric() {
        Lab.Pair pair = lab.connectTo(lab.listen());
        lab.register(pair.a(), 4096, Access.LOCAL_READ);
        lab.register(pair.b(), 4096, Access.REMOTE_WRITE);
        lab.fabricA.close();
        lab.fabricB.close();
        lab.fabricB.close();
        assertThrows(IllegalStateException.class, () -> lab.fabricA.poll(lab.eventsA, 0));
    }

    private static byte[] pattern(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (seed * (i + 1));
        }
        return bytes;
    }
}
