// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.cluster.ConsensusModule;
import io.verbus.cnc.CncFile;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DemoProgram;
import io.verbus.perf.demo.DemoTransport;
import io.verbus.perf.process.AeronJars;
import io.verbus.perf.process.ChildEvent;
import io.verbus.perf.process.ChildProcess;
import io.verbus.perf.process.ChildProcesses;
import io.verbus.perf.process.JavaProgram;
import io.verbus.samples.cluster.MatchingEngine;

import org.agrona.IoUtil;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A fourth node backs up the cluster over UDP while orders are processed. All members are killed,
 * and a cluster of one member starts from the backup with the same books.
 */
@Tag("soak")
@Timeout(300)
class ClusterBackupTest {
    private static final int ORDERS = 10_000;
    private static final int RATE = 1_000;
    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(120);

    private static final Path DRIVERS =
            Path.of("/dev/shm/verbus-backup-test-" + ProcessHandle.current().pid() + "-");

    @TempDir Path folder;

    private final List<Path> others = new ArrayList<>();
    private final ChildProcesses children = new ChildProcesses(this::deleteDrivers);
    private Members members;
    private ChildProcess client;
    private ChildProcess backup;
    private ChildProcess restored;
    private long acknowledged;
    private long copied = -1;
    private int copiedSnapshots;
    private MatchingEngine.State expected;
    private MatchingEngine.State restoredState;

    private void deleteDrivers() {
        if (members != null) {
            members.deleteFolders();
        }
        others.forEach(directory -> IoUtil.delete(directory.toFile(), true));
    }

    @AfterEach
    void close() {
        children.close();
    }

    private static Path driver(String name) {
        return DRIVERS.resolveSibling(DRIVERS.getFileName() + name);
    }

    @Test
    void startsClusterFromBackup() throws Exception {
        DemoNetwork network = DemoNetwork.find(DemoTransport.UDP, null, null);
        ClusterPlan plan = ClusterPlan.of(network, ORDERS, RATE, ClusterFault.OUTAGE, 1);
        members = new Members(network, plan, children, DRIVERS, folder.resolve("members"), false);
        members.start();
        await("a leader", () -> members.leader() >= 0);
        startBackup(plan);
        startClient(plan);
        await("half of the orders", () -> acknowledged >= ORDERS / 2);
        members.takeSnapshot();
        await("snapshots", () -> members.snapshots() > 0);
        client.go();
        await("all orders", () -> expected != null && members.holdAll(expected));
        await("the copy of the snapshot", () -> copiedSnapshots > 0);
        long end = commitPosition(members.leader());
        assertTrue(end > ORDERS * 100L, "committed " + end);
        await("the copy of the log up to " + end, () -> copied >= end);
        for (int id = 0; id < ClusterPlan.MEMBERS; id++) {
            members.fail(id, ClusterFault.OUTAGE);
        }
        ChildProcess ended = backup;
        backup.askToEnd();
        await("the end of the backup", () -> ended != backup);
        restore(plan);
        await("the books of the copy", () -> expected.equals(restoredState));
        assertEquals(ORDERS, restoredState.orders());
    }

    private void startBackup(ClusterPlan plan) throws Exception {
        others.add(driver("backup"));
        backup =
                children.start(
                        "backup",
                        JavaProgram.other(BackupProgram.BACKUP, AeronJars.behindOwnClassPath()),
                        List.of(
                                String.join(",", plan.members().hosts()),
                                Integer.toString(plan.members().firstPort()),
                                "127.0.0.1",
                                Integer.toString(DemoNetwork.freePort(2)),
                                driver("backup").toString(),
                                folder.resolve("backup").toString()));
    }

    private void startClient(ClusterPlan plan) throws Exception {
        others.add(driver("client"));
        children.start(
                "client's driver",
                JavaProgram.own(DemoProgram.DRIVER),
                List.of(driver("client").toString()));
        client =
                children.start(
                        "client",
                        JavaProgram.other(ClusterProgram.CLIENT, AeronJars.behindOwnClassPath()),
                        List.of(
                                driver("client").toString(),
                                plan.members().forClients(),
                                plan.egress(),
                                Integer.toString(plan.orders()),
                                Integer.toString(plan.rate())));
    }

    private void restore(ClusterPlan plan) throws Exception {
        others.add(driver("restored"));
        restored =
                children.start(
                        "restored",
                        JavaProgram.other(ClusterProgram.MEMBER, AeronJars.behindOwnClassPath()),
                        List.of(
                                "0",
                                "127.0.0.1",
                                Integer.toString(DemoNetwork.freePort(10)),
                                Long.toString(plan.leaderTimeoutNs()),
                                driver("restored").toString(),
                                folder.resolve("backup").toString(),
                                NodeProcess.EMBEDDED));
    }

    /** Returns the position up to which the members have the log, from the leader's counter. */
    private static long commitPosition(int leader) {
        try (CncFile cnc = CncFile.map(driver("" + leader).resolve(CncFile.NAME))) {
            CountersReader reader = new CountersReader(cnc.counterMetadata(), cnc.counterValues());
            long[] position = {-1};
            reader.forEach(
                    (id, type, key, label) -> {
                        if (type == ConsensusModule.Configuration.COMMIT_POSITION_TYPE_ID) {
                            position[0] = reader.getCounterValue(id);
                        }
                    });
            return position[0];
        }
    }

    private void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT_NS;
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadline, () -> "timed out waiting for " + what);
            ChildEvent event = children.events().poll(100, TimeUnit.MILLISECONDS);
            if (event != null) {
                take(event);
            }
        }
    }

    private void take(ChildEvent event) {
        switch (event) {
            case ChildEvent.Said(ChildProcess child, String line) -> take(child, line);
            case ChildEvent.Ended(ChildProcess child, int status) -> {
                boolean isExpected = members.takeEnd(child) || child == client && status == 0;
                if (child == backup && status == 0) {
                    backup = null;
                } else {
                    assertTrue(isExpected, () -> child.name() + " ended with " + status);
                }
            }
        }
    }

    private void take(ChildProcess child, String line) {
        int member = members.idOf(child);
        if (member >= 0) {
            members.take(member, line);
        } else if (line.startsWith(OrderSender.ACKNOWLEDGED)) {
            acknowledged = Long.parseLong(line.substring(OrderSender.ACKNOWLEDGED.length()));
        } else if (line.startsWith(OrderSender.EXPECTED)) {
            expected = BookState.parse(line.substring(OrderSender.EXPECTED.length()));
        } else if (line.startsWith(BackupProgram.SNAPSHOTS)) {
            copiedSnapshots += Integer.parseInt(line.substring(BackupProgram.SNAPSHOTS.length()));
        } else if (line.startsWith(BackupProgram.LOG)) {
            copied = Long.parseLong(line.substring(BackupProgram.LOG.length()));
        } else if (child == restored && line.startsWith(NodeProcess.STATE)) {
            restoredState = BookState.parse(line.substring(NodeProcess.STATE.length()));
        }
    }
}
