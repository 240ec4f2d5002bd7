// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.perf.demo.CarrierWatch;
import io.verbus.perf.demo.ChildEvent;
import io.verbus.perf.demo.ChildProcess;
import io.verbus.perf.demo.ChildProcesses;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DemoTransport;
import io.verbus.perf.demo.DriverErrors;
import io.verbus.perf.demo.DriverProcess;
import io.verbus.perf.demo.JavaProgram;
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
 *   two fifths are, and the snapshot is   →  the leader's process is killed; if several are to be,
 *                                            the parts are so much smaller
 *   its files may be used again           →  that member starts again
 *   it has caught up                      →  the next leader's process is killed, and so on
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
    private static final int NONE = -1;

    /** The name of Aeron's constant: this process is without Aeron's classes. */
    private static final String LEADER = "LEADER";

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
    private final CarrierWatch[] carriers = new CarrierWatch[ClusterPlan.MEMBERS + 1];
    private final MatchingEngine.State[] states = new MatchingEngine.State[ClusterPlan.MEMBERS];

    private final List<ChildProcess> killed = new ArrayList<>();

    private ChildProcess client;
    private int leader = NONE;

    /** That was killed last. */
    private int killedMember = NONE;

    private long killedNs;

    /** The member that was killed last runs again, if one was. */
    private boolean isRestarted = true;

    /** Orders that a member has to have applied which has caught up. */
    private long ordersBehind;

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
        for (int id = 0; id < members.length; id++) {
            carriers[id] = new CarrierWatch("member " + id, memberDriver(id));
        }
        carriers[members.length] = new CarrierWatch("client", clientDriver);
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
            arguments.addAll(network.driverOptions(plan.client()));
            children.start(
                    "client's driver",
                    JavaProgram.withAeron(DriverProcess.class.getName()),
                    arguments);
            for (int id = 0; id < members.length; id++) {
                startMember(id);
            }
            supervise();
            checkCarriers();
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
        arguments.addAll(network.driverOptions(plan.members().hosts().get(id)));
        members[id] =
                children.start(
                        "member " + id,
                        JavaProgram.withAeron(NodeProcess.class.getName()),
                        arguments);
    }

    private void startClient() throws DemoException {
        client =
                children.start(
                        "client",
                        JavaProgram.withAeron(OrderSender.class.getName()),
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
            if (!isRestarted && now - killedNs > RESTART_NS) {
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
            return false; // all were killed that were to be: orders are left until then
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
                        killed.contains(child) || child == client && status == 0 && result != null;
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
        if (id < 0 || killed.contains(child)) { // its last words
            progress.println(child.name() + ": " + line);
        } else if (line.startsWith(NodeProcess.STATE)) {
            states[id] = BookState.parse(line.substring(NodeProcess.STATE.length()));
        } else {
            progress.println("demo: " + child.name() + ": " + line);
            if (line.startsWith(NodeProcess.ROLE)) {
                onRole(id, line.substring(NodeProcess.ROLE.length()));
            } else if (line.startsWith(NodeProcess.SNAPSHOT)) {
                snapshots++;
            }
        }
    }

    private void onRole(int id, String role) throws DemoException {
        if (role.equals(LEADER)) {
            leader = id;
            if (client == null) {
                startClient();
            }
        } else if (leader == id) {
            leader = NONE;
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
        for (CarrierWatch carrier : carriers) {
            carrier.look();
        }
        long part = plan.orders() / (SNAPSHOT_PARTS * Math.max(1, plan.kills()));
        boolean isSnapshotDue = snapshots == 0 && System.nanoTime() - snapshotAskedNs > SNAPSHOT_NS;
        if (isSnapshotDue && leader != NONE && orders >= part) {
            snapshotAskedNs = System.nanoTime();
            members[leader].go();
        } else if (orders >= 2 * part && orders < plan.orders() && mayKill()) {
            kill(orders);
        } else if (orders == plan.orders() && killed.size() < plan.kills()) {
            throw new DemoException(
                    "all orders were acknowledged before a leader could be killed: try more"
                            + " --orders or a lower --rate");
        }
    }

    /** All members run, and have caught up, so that two are left when one is killed. */
    private boolean mayKill() {
        boolean isWhole =
                killedMember == NONE
                        || isRestarted
                                && states[killedMember] != null
                                && states[killedMember].orders() >= ordersBehind;
        return killed.size() < plan.kills()
                && leader != NONE
                && snapshots >= members.length
                && isWhole;
    }

    private void kill(long orders) {
        killedMember = leader;
        killedNs = System.nanoTime();
        ordersBehind = orders + 1;
        isRestarted = false;
        states[leader] = null;
        killed.add(members[leader]);
        progress.println("demo: kills " + members[leader].name() + ", which leads");
        members[leader].kill();
        leader = NONE;
    }

    /** Nothing may have gone by anything else. */
    private void checkCarriers() throws DemoException {
        if (network.transport() == DemoTransport.RDMA) {
            for (CarrierWatch carrier : carriers) {
                progress.println("demo: " + carrier.requireRdmaAlone());
            }
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
