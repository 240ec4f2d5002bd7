// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.StrictDevice;
import io.verbus.rdma.fabric.Access;
import io.verbus.rdma.fabric.QueuePair;
import io.verbus.rdma.fabric.RegisteredMemory;
import io.verbus.rdma.outbound.CommitRule;
import io.verbus.rdma.outbound.LogPath;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the adapter's work per message of a stream. The table in docs/performance.md has the same
 * counts, so that an additional call or read is noticed without an adapter.
 */
@Tag("lab")
@Tag("strict")
@Timeout(60)
class MessageCostTest {
    private static final int TERM = 1 << 16;
    private static final int HEADER = 32;
    private static final int CREDIT = 16;
    private static final List<String> COUNTS =
            List.of("post-send", "requests", "adapter-reads", "inline-bytes", "packets", "bytes");

    private final List<QueuePair> queuePairs = new ArrayList<>();
    private final List<LogPath> paths = new ArrayList<>();
    private Lab lab;
    private Lab.Inbox inbox;
    private RegisteredMemory source;

    @BeforeEach
    void open() {
        StrictDevice.profile("mlx5");
        lab = new Lab();
        inbox = new Lab.Inbox();
    }

    @AfterEach
    void close() {
        try {
            lab.close();
        } finally {
            StrictDevice.profile(null);
        }
    }

    private void connect() {
        Lab.Pair pair = lab.connectTo(lab.listen());
        source = lab.register(pair.a(), 4 * TERM, Access.LOCAL_READ);
        RegisteredMemory target = lab.register(pair.b(), 4 * TERM, Access.REMOTE_WRITE);
        queuePairs.add(pair.a().queuePair());
        paths.add(
                new LogPath(
                        source.address(),
                        source.localKey(),
                        source.address() + 3 * TERM,
                        source.localKey(),
                        target.address(),
                        target.remoteKey(),
                        TERM));
    }

    private static int frame(int message) {
        return HEADER + message + 31 & ~31;
    }

    private void stage(int connection, long position, int length) {
        CommitRule.stage(
                queuePairs.get(connection), paths.get(connection), position, length, length);
    }

    /** Runs one cycle of the sender, and returns the adapter's work. */
    private String cost(String what, Runnable staging) {
        List<Long> before = COUNTS.stream().map(StrictDevice::count).toList();
        staging.run();
        queuePairs.forEach(queuePair -> queuePair.post(false));
        StringBuilder row = new StringBuilder("| ").append(what).append(" |");
        for (int i = 0; i < COUNTS.size(); i++) {
            row.append(' ').append(StrictDevice.count(COUNTS.get(i)) - before.get(i)).append(" |");
        }
        for (QueuePair queuePair : queuePairs) {
            queuePair.stageProbe();
            long last = queuePair.post(true);
            Await.until(
                    "completion", () -> queuePair.completed() == last, () -> queuePair.poll(inbox));
        }
        assertEquals(List.of(), inbox.failures);
        return row.toString();
    }

    @Test
    void matchesCostsOnPerformancePage() throws IOException, URISyntaxException {
        connect();
        QueuePair queuePair = queuePairs.getFirst();
        LogPath path = paths.getFirst();
        List<String> rows = new ArrayList<>();
        rows.add(
                cost(
                        "a bare write of 32 bytes",
                        () ->
                                queuePair.stageWrite(
                                        source.address(),
                                        32,
                                        source.localKey(),
                                        path.remoteLog(),
                                        path.remoteKey())));
        for (int message : new int[] {32, 128, 192, 1024}) {
            rows.add(
                    cost("a message of " + message + " bytes", () -> stage(0, 64, frame(message))));
        }
        rows.add(cost("3 messages of 32 bytes in one cycle", () -> stage(0, 64, 3 * frame(32))));
        rows.add(
                cost("100 messages of 32 bytes in one cycle", () -> stage(0, 64, 100 * frame(32))));
        rows.add(
                cost(
                        "a message of 32 bytes on each of 20 streams",
                        () -> {
                            for (int i = 0; i < 20; i++) {
                                stage(0, 64 + i * 1024L, frame(32));
                            }
                        }));
        rows.add(
                cost(
                        "a message of 32 bytes that ends a term",
                        () -> stage(0, TERM - frame(32), frame(32))));
        rows.add(
                cost(
                        "credit",
                        () ->
                                queuePair.stageWrite(
                                        source.address(),
                                        CREDIT,
                                        source.localKey(),
                                        path.remoteLog(),
                                        path.remoteKey())));
        for (int i = 1; i < 4; i++) {
            connect();
        }
        rows.add(
                cost(
                        "a message of 32 bytes to 4 drivers",
                        () -> {
                            for (int i = 0; i < 4; i++) {
                                stage(i, 64, frame(32));
                            }
                        }));

        String page = Files.readString(root().resolve("docs/performance.md"));
        for (String row : rows) {
            assertTrue(
                    page.contains(row),
                    () -> "docs/performance.md has other rows than\n" + String.join("\n", rows));
        }
    }

    private static Path root() throws URISyntaxException {
        Path folder =
                Path.of(
                        MessageCostTest.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        while (!Files.isDirectory(folder.resolve("docs"))) {
            folder = folder.getParent();
        }
        return folder;
    }
}
