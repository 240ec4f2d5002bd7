// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.verbus.perf.demo.CarrierWatch;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DemoProgram;
import io.verbus.perf.demo.DemoTransport;
import io.verbus.perf.demo.DriverErrors;
import io.verbus.perf.process.ChildEvent;
import io.verbus.perf.process.ChildProcess;
import io.verbus.perf.process.ChildProcesses;
import io.verbus.perf.process.JavaProgram;
import io.verbus.samples.cluster.MatchingEngine;

import org.agrona.IoUtil;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * One run of the cluster demo: three members, the client and its driver, each in its own process.
 *
 * <pre>
 *   a leader is elected                       →  the client sends orders, at a rate
 *   orders are acknowledged                   →  the {@link Faults}, one after the other
 *   the last fault is over                    →  the client may stop
 *   all orders are acknowledged               →  the books of all members are compared
 * </pre>
 */
final class ClusterDemo implements AutoCloseable {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

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
    private final Members members;
    private final Faults faults;
    private final List<CarrierWatch> carriers = new ArrayList<>();

    private ChildProcess client;
    private boolean mayEnd;
    private long acknowledged;
    private ClientResult result;
    private MatchingEngine.State expected;

    /**
     * @param network network that carries all channels between members and client.
     * @param plan orders to send.
     * @param limitNs time limit of the run in nanoseconds.
     * @param progress stream for progress messages.
     */
    ClusterDemo(DemoNetwork network, ClusterPlan plan, long limitNs, PrintStream progress) {
        this.network = network;
        this.plan = plan;
        this.limitNs = limitNs;
        this.progress = progress;
        members =
                new Members(
                        network,
                        plan,
                        children,
                        SHARED_MEMORY.resolve(name),
                        folder,
                        plan.fault() == ClusterFault.DRIVER);
        faults =
                new Faults(
                        plan.fault(),
                        plan.faults(),
                        plan.orders() / SNAPSHOT_PARTS,
                        members,
                        progress);
        for (int id = 0; id < ClusterPlan.MEMBERS; id++) {
            carriers.add(new CarrierWatch("member " + id, members.driver(id)));
        }
        carriers.add(new CarrierWatch("client", clientDriver));
    }

    /**
     * Runs the demo.
     *
     * @return the last line of the output.
     * @throws DemoException if anything goes wrong.
     */
    String run() throws DemoException, InterruptedException {
        try {
            progress.println("demo: starting three members and the client's driver");
            List<String> arguments = new ArrayList<>(List.of(clientDriver.toString()));
            arguments.addAll(network.driverOptions(plan.client()));
            children.start("client's driver", JavaProgram.withAeron(DemoProgram.DRIVER), arguments);
            members.start();
            supervise();
            checkCarriers();
            return summary();
        } catch (DemoException e) {
            members.print(progress);
            DriverErrors.print("client's driver", clientDriver, progress);
            throw e;
        }
    }

    private void startClient() throws DemoException {
        client =
                children.start(
                        "client",
                        JavaProgram.withAeron(ClusterProgram.CLIENT),
                        List.of(
                                clientDriver.toString(),
                                plan.members().forClients(),
                                plan.egress(),
                                Integer.toString(plan.orders()),
                                Integer.toString(plan.rate())));
    }

    private void supervise() throws DemoException, InterruptedException {
        long start = System.nanoTime();
        while (result == null || !members.holdAll(expected)) {
            ChildEvent event = children.events().poll(100, TimeUnit.MILLISECONDS);
            if (event != null) {
                on(event);
            }
            long now = System.nanoTime();
            faults.goOn(acknowledged, now);
            if (faults.areDone() && client != null && !mayEnd) {
                mayEnd = true;
                client.go();
            }
            if (now - start > limitNs) {
                throw new DemoException(late());
            }
        }
    }

    private String late() {
        return String.format(
                Locale.ROOT,
                "the demo did not end within %d s, after %d of %d faults: %s",
                TimeUnit.NANOSECONDS.toSeconds(limitNs),
                faults.done(),
                plan.faults(),
                result == null
                        ? "try fewer --orders, fewer --kills or a longer --timeout"
                        : "the members' books differ; see their output");
    }

    private void on(ChildEvent event) throws DemoException {
        switch (event) {
            case ChildEvent.Said(ChildProcess child, String line) when child == client ->
                    onClient(line);
            case ChildEvent.Said(ChildProcess child, String line) -> onMember(child, line);
            case ChildEvent.Ended(ChildProcess child, int status) -> {
                boolean isExpected =
                        members.takeEnd(child) || child == client && status == 0 && result != null;
                if (!isExpected) {
                    throw new DemoException(
                            "the process of "
                                    + child.name()
                                    + " ended early with status "
                                    + status
                                    + ": see its output above");
                }
            }
        }
    }

    private void onMember(ChildProcess child, String line) throws DemoException {
        int id = members.idOf(child);
        if (id < 0) {
            progress.println(child.name() + ": " + line);
        } else if (members.take(id, line)) {
            progress.println("demo: " + child.name() + ": " + line);
        }
        if (members.leader() >= 0 && client == null) {
            startClient();
        }
    }

    private void onClient(String line) {
        if (line.startsWith(OrderSender.ACKNOWLEDGED)) {
            acknowledged = Long.parseLong(line.substring(OrderSender.ACKNOWLEDGED.length()));
            carriers.forEach(CarrierWatch::look);
            progress.println(
                    String.format(
                            Locale.ROOT,
                            "demo: %,d of %,d orders acknowledged",
                            acknowledged,
                            Math.max(acknowledged, plan.orders())));
        } else if (line.startsWith(OrderSender.EXPECTED)) {
            expected = BookState.parse(line.substring(OrderSender.EXPECTED.length()));
        } else if (ClientResult.isLine(line)) {
            result = ClientResult.parse(line);
        } else {
            progress.println("client: " + line);
        }
    }

    /** Fails if anything was sent over a transport other than RDMA. */
    private void checkCarriers() throws DemoException {
        if (network.transport() == DemoTransport.RDMA) {
            for (CarrierWatch carrier : carriers) {
                progress.println("demo: " + carrier.requireRdmaAlone());
            }
        }
    }

    private String summary() throws DemoException {
        long lost = Math.max(0, result.acknowledged() - expected.orders());
        boolean isAll =
                result.acknowledged() == expected.orders() && expected.orders() >= plan.orders();
        if (result.duplicated() != 0 || lost != 0 || !isAll) {
            throw new DemoException(
                    String.format(
                            Locale.ROOT,
                            "%2$d of %1$d orders were acknowledged, lost=%3$d duplicated=%4$d:"
                                    + " this is a defect; please report it with the output of"
                                    + " the members",
                            expected.orders(),
                            result.acknowledged(),
                            lost,
                            result.duplicated()));
        }
        return String.format(
                Locale.ROOT,
                "demo ok: cluster transport=%s device=%s orders=%d acknowledged=%d lost=0"
                        + " duplicated=0 failover_ms=%d p50_us=%.1f p99_us=%.1f%s",
                network.transport(),
                network.device(),
                expected.orders(),
                result.acknowledged(),
                TimeUnit.NANOSECONDS.toMillis(result.failoverNs()),
                result.p50Ns() / 1e3,
                result.p99Ns() / 1e3,
                isUsual() ? "" : " fault=" + plan.fault() + " times=" + faults.done());
    }

    private boolean isUsual() {
        return plan.fault() == ClusterFault.LEADER && plan.faults() == 1;
    }

    /** Ends all processes and deletes their files. */
    @Override
    public void close() {
        children.close();
    }

    private void deleteFolders() {
        members.deleteFolders();
        IoUtil.delete(clientDriver.toFile(), true);
    }
}
