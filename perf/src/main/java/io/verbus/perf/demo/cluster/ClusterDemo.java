// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.codecs.marketdata.QuoteEncoder;
import io.verbus.perf.demo.ChildEvent;
import io.verbus.perf.demo.ChildProcess;
import io.verbus.perf.demo.ChildProcesses;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DriverErrors;
import io.verbus.perf.demo.DriverProcess;
import io.verbus.perf.demo.JavaProgram;
import io.verbus.perf.run.AeronJars;
import io.verbus.samples.cluster.MatchingEngine;

import org.agrona.IoUtil;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * One run: three members, the client and its driver, each a process.
 *
 * <pre>
 *   a member leads                        →  the client sends orders, at a rate
 *   a fifth of them is acknowledged       →  the cluster takes a snapshot
 *   two fifths are, and the snapshot is   →  the leader's process is killed
 *   its files may be used again           →  that member starts again
 *   all orders are acknowledged           →  the books of all members are compared
 * </pre>
 */
final class ClusterDemo implements AutoCloseable {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    /** Aeron's archive takes a mark file that is younger than 10 s for that of a live process. */
    private static final long RESTART_NS = TimeUnit.SECONDS.toNanos(12);

    /** After that time another leader may have to be asked for a snapshot. */
    private static final long SNAPSHOT_NS = TimeUnit.SECONDS.toNanos(10);

    private static final int SNAPSHOT_PARTS = 5;

    private final DemoNetwork network;
    private final ClusterPlan plan;
    private final long limitNs;
    private final PrintStream progress;
    private final String name = "verbus-demo-" + ProcessHandle.current().pid() + "-";
    private final Path clientDriver = SHARED_MEMORY.resolve(name + "client");
    private final Path folder =
            Path.of(System.getProperty("java.io.tmpdir")).resolve(name + "cluster");
    private final ChildProcesses children = new ChildProcesses(this::deleteFolders);
    private final ChildProcess[] members = new ChildProcess[ClusterPlan.MEMBERS];
    private final MatchingEngine.State[] states = new MatchingEngine.State[ClusterPlan.MEMBERS];

    private ChildProcess client;
    private ChildProcess killed;
    private int leader = -1;
    private int killedMember = -1;
    private long killedNs;
    private boolean isRestarted;
    private long snapshotAskedNs = System.nanoTime() - SNAPSHOT_NS;
    private int snapshots;
    private ClientResult result;
    private MatchingEngine.State expected;

    /**
     * @param network that carries all channels between members and client.
     * @param plan of what to send.
     * @param limitNs of the run, nanoseconds.
     * @param progress where to show how far it is.
     */
    ClusterDemo(DemoNetwork network, ClusterPlan plan, long limitNs, PrintStream progress) {
        this.network = network;
        this.plan = plan;
        this.limitNs = limitNs;
        this.progress = progress;
    }

    /**
     * Runs it.
     *
     * @return its last line.
     * @throws DemoException if anything went wrong.
     */
    String run() throws DemoException, InterruptedException {
        try {
            progress.println("demo: starting three members and the client's driver");
            List<String> arguments = new ArrayList<>(List.of(clientDriver.toString()));
            arguments.addAll(network.driverOptions());
            children.start(
                    "client's driver", JavaProgram.own(DriverProcess.class.getName()), arguments);
            for (int id = 0; id < members.length; id++) {
                startMember(id);
            }
            supervise();
            return summary();
        } catch (DemoException e) {
            for (int id = 0; id < members.length; id++) {
                DriverErrors.print("driver of member " + id, memberDriver(id), progress);
                progress.println("member " + id + " says that it holds " + states[id]);
            }
            DriverErrors.print("client's driver", clientDriver, progress);
            throw e;
        }
    }

    private Path memberDriver(int id) {
        return SHARED_MEMORY.resolve(name + id);
    }

    private void startMember(int id) throws DemoException {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                Integer.toString(id),
                                String.join(",", plan.members().hosts()),
                                Integer.toString(plan.members().firstPort()),
                                Long.toString(plan.leaderTimeoutNs()),
                                memberDriver(id).toString(),
                                folder.resolve(Integer.toString(id)).toString()));
        arguments.addAll(network.driverOptions());
        members[id] =
                children.start(
                        "member " + id,
                        JavaProgram.other(
                                NodeProcess.class.getName(), AeronJars.behindOwnClassPath()),
                        arguments);
    }

    private void startClient() throws DemoException {
        client =
                children.start(
                        "client",
                        JavaProgram.other(
                                OrderSender.class.getName(),
                                AeronJars.classPath(
                                        ClusterDemo.class,
                                        QuoteEncoder.class,
                                        MatchingEngine.class)),
                        List.of(
                                clientDriver.toString(),
                                plan.members().forClients(),
                                plan.egress(),
                                Integer.toString(plan.orders()),
                                Integer.toString(plan.rate())));
    }

    private void supervise() throws DemoException, InterruptedException {
        long start = System.nanoTime();
        while (!isComplete()) {
            ChildEvent event = children.events().poll(1, TimeUnit.SECONDS);
            if (event != null) {
                on(event);
            }
            long now = System.nanoTime();
            if (killed != null && !isRestarted && now - killedNs > RESTART_NS) {
                isRestarted = true;
                progress.println("demo: member " + killedMember + " starts again");
                startMember(killedMember);
            }
            if (now - start > limitNs) {
                throw new DemoException(
                        "the demo has not ended within "
                                + TimeUnit.NANOSECONDS.toSeconds(limitNs)
                                + " s: "
                                + (result == null
                                        ? "try fewer --orders or a longer --timeout"
                                        : "the members' books differ, see what they say"));
            }
        }
    }

    private boolean isComplete() {
        if (result == null || !isRestarted) {
            return false;
        }
        for (MatchingEngine.State state : states) {
            if (!expected.equals(state)) {
                return false;
            }
        }
        return true;
    }

    private void on(ChildEvent event) throws DemoException {
        switch (event) {
            case ChildEvent.Said(ChildProcess child, String line) when child == client ->
                    onClient(line);
            case ChildEvent.Said(ChildProcess child, String line) -> onMember(child, line);
            case ChildEvent.Ended(ChildProcess child, int status) -> {
                boolean isExpected =
                        child == killed || child == client && status == 0 && result != null;
                if (!isExpected) {
                    throw new DemoException(
                            "the process of "
                                    + child.name()
                                    + " ended early with status "
                                    + status
                                    + ": its words are above");
                }
            }
        }
    }

    private void onMember(ChildProcess child, String line) throws DemoException {
        int id = List.of(members).indexOf(child);
        if (id < 0) {
            progress.println(child.name() + ": " + line);
        } else if (line.startsWith(NodeProcess.STATE)) {
            states[id] = BookState.parse(line.substring(NodeProcess.STATE.length()));
        } else {
            progress.println("demo: " + child.name() + ": " + line);
            if (line.equals(NodeProcess.ROLE + "LEADER")) {
                leader = id;
                if (client == null) {
                    startClient();
                }
            } else if (line.startsWith(NodeProcess.SNAPSHOT)) {
                snapshots++;
            }
        }
    }

    private void onClient(String line) throws DemoException {
        if (line.startsWith(OrderSender.ACKNOWLEDGED)) {
            onAcknowledged(Long.parseLong(line.substring(OrderSender.ACKNOWLEDGED.length())));
        } else if (line.startsWith(OrderSender.EXPECTED)) {
            expected = BookState.parse(line.substring(OrderSender.EXPECTED.length()));
        } else if (ClientResult.isLine(line)) {
            result = ClientResult.parse(line);
        } else {
            progress.println("client: " + line);
        }
    }

    private void onAcknowledged(long orders) throws DemoException {
        progress.println(
                String.format(
                        Locale.ROOT,
                        "demo: %,d of %,d orders acknowledged",
                        orders,
                        plan.orders()));
        long part = plan.orders() / SNAPSHOT_PARTS;
        if (snapshots == 0 && orders >= part && System.nanoTime() - snapshotAskedNs > SNAPSHOT_NS) {
            snapshotAskedNs = System.nanoTime();
            members[leader].go();
        } else if (killed == null && snapshots >= members.length && orders >= 2 * part) {
            killedMember = leader;
            killed = members[leader];
            killedNs = System.nanoTime();
            states[leader] = null;
            progress.println("demo: kills " + killed.name() + ", which leads");
            killed.kill();
        } else if (orders == plan.orders() && killed == null) {
            throw new DemoException(
                    "all orders were acknowledged before the leader could be killed: try more"
                            + " --orders or a lower --rate");
        }
    }

    private String summary() throws DemoException {
        long lost = Math.max(0, result.acknowledged() - expected.orders());
        if (result.duplicated() != 0 || lost != 0 || result.acknowledged() != plan.orders()) {
            throw new DemoException(
                    String.format(
                            Locale.ROOT,
                            "of %d orders %d were acknowledged, lost=%d duplicated=%d: it is a"
                                    + " defect, please report it with what the members say",
                            plan.orders(),
                            result.acknowledged(),
                            lost,
                            result.duplicated()));
        }
        return String.format(
                Locale.ROOT,
                "demo ok: cluster transport=%s device=%s orders=%d acknowledged=%d lost=0"
                        + " duplicated=0 failover_ms=%d p50_us=%.1f p99_us=%.1f",
                network.transport(),
                network.device(),
                plan.orders(),
                result.acknowledged(),
                TimeUnit.NANOSECONDS.toMillis(result.failoverNs()),
                result.p50Ns() / 1e3,
                result.p99Ns() / 1e3);
    }

    /** Ends all processes and deletes what they left behind. */
    @Override
    public void close() {
        children.close();
    }

    private void deleteFolders() {
        for (int id = 0; id < members.length; id++) {
            IoUtil.delete(memberDriver(id).toFile(), true);
        }
        IoUtil.delete(clientDriver.toFile(), true);
        IoUtil.delete(folder.toFile(), true);
    }
}
