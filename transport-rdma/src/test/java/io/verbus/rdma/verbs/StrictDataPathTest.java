// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.StrictDevice;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.Connection;
import io.verbus.rdma.fabric.ConnectionOptions;
import io.verbus.rdma.fabric.Listener;
import io.verbus.rdma.fabric.PathInfo;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** Work requests on each kind of adapter that the strict device emulates. */
@Tag("lab")
@Tag("strict")
@Timeout(60)
class StrictDataPathTest {
    private Lab lab;

    @AfterEach
    void close() {
        try {
            lab.close();
        } finally {
            StrictDevice.profile(null);
        }
    }

    private Lab.Pair connect(String profile) {
        StrictDevice.profile(profile);
        lab = new Lab();
        return lab.connectTo(lab.listen());
    }

    /** A slot of the send queue still holds the pieces of the request before. */
    @ParameterizedTest
    @ValueSource(strings = {"ib", "mlx5", "irdma", "bnxt", "mana", "small"})
    void probesAfterBatchThatUsedSameSlot(String profile) {
        Lab.Pair pair = connect(profile);
        RegisteredMemory source = lab.register(pair.a(), 4096, Access.LOCAL_READ);
        RegisteredMemory target = lab.register(pair.b(), 4096, Access.REMOTE_WRITE);
        QueuePair qp = pair.a().queuePair();
        Lab.Inbox inbox = new Lab.Inbox();
        qp.stageWrite(
                source.address() + 8,
                56,
                source.localKey(),
                source.address() + 1024,
                8,
                source.localKey(),
                target.address() + 8,
                target.remoteKey());
        qp.post(true);

        long probe = qp.stageProbe();
        qp.post(true);
        Await.until(
                "the probe's answer",
                () -> qp.answered() >= probe || !inbox.failures.isEmpty(),
                () -> qp.poll(inbox));

        assertEquals(List.of(), inbox.failures);
    }

    /** The 655 ms of rdma_cm would block all writes of the peer, each time. */
    @Test
    void retriesSoonIfReceiverIsNotReady() {
        Lab.Pair pair = connect("mlx5");
        RegisteredMemory source = lab.register(pair.a(), 4096, Access.LOCAL_READ);
        int messages = Lab.OPTIONS.receiveDepth() + 10;
        QueuePair sender = pair.a().queuePair();
        Lab.Inbox sent = new Lab.Inbox();
        Lab.Inbox received = new Lab.Inbox();
        for (int i = 0; i < messages; i++) {
            sender.stageSend(source.address(), 8, source.localKey());
        }
        sender.post(true);
        Await.until(
                "a message without a receive",
                () -> StrictDevice.count("longest-rnr-us") > 0,
                () -> sender.poll(sent));
        Await.until(
                "all messages",
                () -> received.messages.size() == messages,
                () -> pair.b().queuePair().poll(received));

        assertEquals(640, StrictDevice.count("longest-rnr-us"));
        assertEquals(List.of(), received.failures);
    }

    /**
     * The last message of the handshake is lost; data signals to the accepting side that the
     * connection is up.
     */
    @Test
    void acceptsEarlyDataAsConnectionEstablishment() {
        StrictDevice.profile("mlx5");
        lab = new Lab();
        Connection a = lab.connect(lab.listen().localAddress(), null, new byte[] {1});
        Connection b = lab.awaitRequest();
        StrictDevice.plan("ready:1:drop");
        try {
            b.accept(new byte[] {2});
            Await.until("A to be ready", () -> lab.eventsA.established.contains(a), lab::poll);
            QueuePair qp = a.queuePair();
            qp.stageProbe();
            qp.post(true);
            Await.until("B to be ready", () -> lab.eventsB.established.contains(b), lab::poll);
        } finally {
            StrictDevice.plan("");
        }
    }

    /** Maximum inline bytes of each kind of adapter, among those tried in turn. */
    @ParameterizedTest
    @CsvSource({"ib, 220", "irdma, 96", "bnxt, 96", "small, 32", "mana, 0"})
    void usesMaximumInlineOfDevice(String profile, int inline) {
        StrictDevice.profile(profile);
        lab = new Lab();
        ConnectionOptions options =
                new ConnectionOptions(
                        64,
                        16,
                        256,
                        220,
                        6,
                        7,
                        14,
                        ConnectionOptions.ANY,
                        ConnectionOptions.ANY,
                        null);
        Listener listener = lab.listen(lab.fabricB, Lab.at(Lab.addressB(), 0), options);
        lab.connect(listener.localAddress(), null, new byte[] {1});
        Connection b = lab.awaitRequest();
        b.accept(new byte[] {2});
        Await.until("B to be ready", () -> lab.eventsB.established.contains(b), lab::poll);
        assertEquals(inline, b.queuePair().maxInline());
    }

    /** Reported once per device: no inline data, and fewer work requests than requested. */
    @ParameterizedTest
    @CsvSource({"mana, '', and 0 bytes inline", "ib, send-depth:1:8, 8 work requests"})
    void warnsOnceIfDeviceGrantsLess(String profile, String plan, String words) {
        StrictDevice.profile(profile);
        lab = new Lab();
        StrictDevice.plan(plan);
        try {
            Connection a = lab.connect(lab.listen().localAddress(), null, new byte[] {1});
            lab.awaitRequest();
            assertEquals(plan.isEmpty() ? Lab.OPTIONS.sendDepth() : 8, a.queuePair().free());
            lab.connect(lab.listen().localAddress(), null, new byte[] {1});
            lab.awaitRequest();
        } finally {
            StrictDevice.plan("");
        }
        assertEquals(1, lab.warnings.size(), lab.warnings::toString);
        String told = lab.warnings.getFirst();
        assertTrue(told.contains(words), told);
    }

    /** A rejected peer does not use a queue pair. */
    @Test
    void createsNoQueuePairBeforeRequestIsAccepted() {
        StrictDevice.profile("ib");
        lab = new Lab();
        long before = StrictDevice.count("queue-pairs");
        lab.connect(lab.listen().localAddress(), null, new byte[] {1});
        Connection b = lab.awaitRequest();
        assertEquals(before + 1, StrictDevice.count("queue-pairs"), "that of A");
        b.accept(new byte[] {2});
        Await.until("B to be ready", () -> lab.eventsB.established.contains(b), lab::poll);
        assertEquals(before + 2, StrictDevice.count("queue-pairs"));
        lab.close(b);
        assertEquals(before + 1, StrictDevice.count("queue-pairs"));
    }

    @Test
    void namesCgroupLimitOnEagain() {
        StrictDevice.profile("ib");
        lab = new Lab();
        StrictDevice.plan("rdma_create_qp:1:11");
        try {
            Connection a = lab.connect(lab.listen().localAddress(), null, new byte[] {1});
            String reason = lab.awaitEnd(lab.eventsA, a).reason();
            assertTrue(reason.contains("EAGAIN"), reason);
            assertTrue(reason.contains("rdma.max"), reason);
        } finally {
            StrictDevice.plan("");
        }
    }

    /** Write order that each kind of adapter reports. */
    @ParameterizedTest
    @CsvSource({"mlx5, KEPT", "mlx5-ooo, DOUBTFUL", "iwarp, DOUBTFUL", "irdma, UNKNOWN"})
    void reportsWriteOrderOfDevice(String profile, PathInfo.Order order) {
        Lab.Pair pair = connect(profile);
        assertEquals(order, pair.a().path().order());
        assertEquals(order, pair.b().path().order());
    }

    @Test
    void rejectsUnorderedAdapterIfOrderIsChecked() {
        StrictDevice.profile("mlx5-ooo");
        lab = new Lab();
        try (VerbsFabric checked = VerbsFabric.openPrepared(lab.stayed::add, true)) {
            Lab.Recorder events = new Lab.Recorder();
            Connection a =
                    checked.connect(
                            lab.listen().localAddress(), null, Lab.OPTIONS, null, new byte[] {1});
            Await.until(
                    "a request",
                    () -> !lab.eventsB.requests.isEmpty(),
                    () -> {
                        checked.poll(events, System.nanoTime());
                        lab.poll();
                    });
            lab.eventsB.requests.getFirst().accept(new byte[] {2});
            Await.until(
                    "an end",
                    () -> !events.ended.isEmpty(),
                    () -> checked.poll(events, System.nanoTime()));
            String reason = events.ended.getFirst().reason();
            assertTrue(reason.contains("strict0 may place writes out of order"), reason);
            assertTrue(reason.contains("rdma.order"), reason);
            a.close();
        }
    }

    /** The device has room for 512 regions; locked memory is not the limit. */
    @Test
    void reportsExhaustedRegions() {
        Lab.Pair pair = connect("small");
        VerbsException refused =
                assertThrows(
                        VerbsException.class,
                        () -> {
                            for (int i = 0; i < 600; i++) {
                                lab.register(pair.a(), 4096, Access.LOCAL_READ);
                            }
                        });
        String message = refused.getMessage();
        assertTrue(message.contains("ibv_reg_mr: ENOMEM"), message);
        assertTrue(message.contains("run out of memory regions"), message);
    }

    /** bnxt_re's library may block when it posts: the JVM must still reach safepoints. */
    @ParameterizedTest
    @CsvSource({"ib, true", "bnxt, false"})
    void postingDoesNotBlockSafepointsIfDeviceMayWait(String profile, boolean isHeld)
            throws Exception {
        Lab.Pair pair = connect(profile);
        QueuePair qp = pair.a().queuePair();
        Lab.Inbox inbox = new Lab.Inbox();
        for (int i = 0; i < 2; i++) { // the first is linked
            qp.stageProbe();
            long probe = qp.post(true);
            Await.until("an answer", () -> qp.completed() >= probe, () -> qp.poll(inbox));
        }
        long posts = StrictDevice.count("post-send");
        long requests = StrictDevice.count("requests");
        StrictDevice.plan("ibv_post_send:1:~3000");
        Thread poster =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    qp.stageProbe();
                                    qp.post(true);
                                });
        try {
            Await.until("the post", () -> StrictDevice.count("post-send") > posts, () -> {});
            System.gc();
            assertEquals(isHeld, StrictDevice.count("requests") > requests);
        } finally {
            poster.join();
            StrictDevice.plan("");
        }
    }

    @Test
    void warnsAboutAsynchronousDeviceEvents() {
        connect("mlx5");
        for (int type : new int[] {11, 12, 13, 17, 18}) {
            StrictDevice.event(1, type, 1);
        }
        Await.until("five events", () -> lab.warnings.size() >= 5, lab::poll);
        List<String> told = lab.warnings.stream().distinct().toList();
        assertEquals(4, told.size(), told::toString);
        for (String words : List.of("GIDs", "partitions", "LID", "subnet manager was replaced")) {
            assertTrue(told.stream().anyMatch(t -> t.contains(words)), told::toString);
        }
        assertTrue(told.stream().allMatch(t -> t.contains("strict1 reports for port 1")));
    }

    /** The device ends the process where librdmacm would crash. */
    @Test
    void readsNoEventWhileItsQueuePairIsDestroyed() {
        StrictDevice.profile("ib");
        lab = new Lab();
        Connection a = lab.connect(lab.listen().localAddress(), null, new byte[] {1});
        Connection b = lab.awaitRequest();
        boolean[] hasEnded = new boolean[1];
        StrictDevice.plan("rdma_destroy_qp:1:~60000");
        try {
            a.close(null, () -> hasEnded[0] = true);
            Await.until("a held call", () -> StrictDevice.count("held") > 0, lab::poll);
            b.accept(new byte[] {2});
            long startNs = System.nanoTime();
            // The answer arrives within this time, in which the fabric polls 100 times.
            Await.until("looks", () -> System.nanoTime() - startNs > 100_000_000, lab::poll);
            assertFalse(hasEnded[0]);
        } finally {
            StrictDevice.plan("");
        }
        Await.until("A's end", () -> hasEnded[0], lab::poll);
    }

    @Test
    void reportsLongestMessageOfPort() {
        assertEquals(1 << 20, connect("small").a().queuePair().maxMessage());
    }
}
