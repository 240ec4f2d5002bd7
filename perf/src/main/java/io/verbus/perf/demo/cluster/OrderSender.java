// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo.cluster;

import io.aeron.cluster.client.AeronCluster;
import io.verbus.perf.demo.AeronPatience;
import io.verbus.perf.demo.BusClient;
import io.verbus.perf.demo.DemoException;
import io.verbus.perf.demo.DemoIdling;
import io.verbus.perf.process.Lab;
import io.verbus.perf.process.ParentLink;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;

/**
 * Client process: sends each order when it is due, and sends it again, with the same number, if a
 * new leader or a long silence leaves its outcome open.
 */
final class OrderSender {
    /** Prefix of a line with the number of acknowledged orders. */
    static final String ACKNOWLEDGED = "acknowledged ";

    /** Prefix of a line with the id of a new leader. */
    static final String LEADER = "leader ";

    /** Prefix of a line with the duration of a failover. */
    static final String FAILOVER = "failover took ";

    /** Prefix of a line with the {@link BookState} that results from the orders. */
    static final String EXPECTED = "expected ";

    private static final int MAX_ORDERS = 100_000_000;
    private static final int MAX_OPEN = 4_096;
    private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(5);

    /**
     * Long, because on an emulated processor the first connection of each driver may take minutes.
     */
    private static final long LAB_CONNECT_NS = TimeUnit.SECONDS.toNanos(600);

    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(180);
    private static final long REPORT_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final ParentLink parent;
    private final AeronCluster.Context context;
    private final int orders;
    private final OrderFeed feed = new OrderFeed();
    private final OrderLedger ledger;
    private final IdleStrategy idle = DemoIdling.strategy();
    private AeronCluster cluster;
    private int limit;
    private int next;
    private int sent;
    private long resends;
    private long resentNs;
    private long keptAliveNs;
    private long nextReportNs;

    private OrderSender(ParentLink parent, AeronCluster.Context context, int orders, int rate) {
        this.parent = parent;
        this.orders = orders;
        limit = parent == null ? orders : MAX_ORDERS;
        ledger = new OrderLedger(orders, TimeUnit.SECONDS.toNanos(1) / rate);
        this.context = context.egressListener(ledger);
    }

    /**
     * @param args driver directory, ingress endpoints, egress channel, orders and rate. More orders
     *     follow until the parent requests the end.
     */
    static void run(String[] args) throws DemoException, InterruptedException {
        AeronPatience.set();
        send(args, ParentLink.open());
    }

    /**
     * Sends the orders, and prints the result.
     *
     * @param args arguments of {@link #run}.
     * @param parent link to the parent, which determines when to stop; null to stop after the last
     *     order.
     */
    static void send(String[] args, ParentLink parent) throws DemoException, InterruptedException {
        AeronCluster.Context context =
                new AeronCluster.Context()
                        .aeronDirectoryName(args[0])
                        .ingressChannel("aeron:udp?term-length=1m")
                        .ingressEndpoints(args[1])
                        .egressChannel(args[2])
                        .messageTimeoutNs(
                                Lab.isHere() ? LAB_CONNECT_NS : BusClient.DRIVER_TIMEOUT_NS)
                        .newLeaderTimeoutNs(newLeaderTimeoutNs())
                        .errorHandler(error -> System.err.println(error.getMessage()));
        new OrderSender(parent, context, Integer.parseInt(args[3]), Integer.parseInt(args[4]))
                .run();
    }

    /**
     * Returns how long the client waits for a silent leader before it reconnects. It must
     * reconnect, because members that have all been restarted close the old sessions without
     * notifying their clients.
     */
    private static long newLeaderTimeoutNs() {
        return TimeUnit.SECONDS.toNanos(Lab.isHere() ? 90 : 20);
    }

    private void run() throws DemoException, InterruptedException {
        cluster = AeronCluster.connect(context.clone());
        long now = System.nanoTime();
        ledger.start(now);
        nextReportNs = now;
        while (ledger.acknowledged() < limit) {
            if (limit == MAX_ORDERS && parent.awaitGo(0, TimeUnit.SECONDS)) {
                limit = Math.max(orders, sent);
            }
            int work = cluster.pollEgress();
            now = System.nanoTime();
            if (cluster.isClosed()) {
                cluster = AeronCluster.connect(context.clone()); // a new session, the same orders
                ledger.onNewSession();
            }
            if (ledger.resends() != resends || isSilent(now)) {
                resends = ledger.resends();
                sendAgain(now);
            }
            work += send(now);
            report(now);
            if (now - ledger.lastNs() > LIMIT_NS) {
                throw new DemoException(
                        "no order was acknowledged for "
                                + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NS)
                                + " s: see the output of the members");
            }
            idle.idle(work);
        }
        System.out.println(ACKNOWLEDGED + ledger.acknowledged());
        cluster.close();
        System.out.println(EXPECTED + BookState.toWords(feed.expected(limit)));
        System.out.println(ledger.result().toLine());
    }

    private boolean isSilent(long now) {
        return next > ledger.firstMissing()
                && now - ledger.lastNs() > SILENCE_NS
                && now - resentNs > SILENCE_NS;
    }

    private void sendAgain(long now) {
        next = ledger.firstMissing();
        resentNs = now;
    }

    private int send(long now) {
        if (next == limit || now - ledger.dueNs(next) < 0) {
            ledger.onCaughtUp(next);
            return keepAlive(now);
        }
        if (next - ledger.firstMissing() >= MAX_OPEN) {
            return 0;
        }
        int length = feed.encode(next, ledger.dueNs(next));
        if (cluster.offer(feed.buffer(), 0, length) <= 0) {
            return 0;
        }
        next++;
        sent = Math.max(sent, next);
        return 1;
    }

    /** Keeps the session from timing out while no orders are sent. */
    private int keepAlive(long now) {
        if (now - keptAliveNs > REPORT_INTERVAL_NS && cluster.sendKeepAlive()) {
            keptAliveNs = now;
        }
        return 0;
    }

    private void report(long now) {
        if (now - nextReportNs >= 0) {
            System.out.println(ACKNOWLEDGED + ledger.acknowledged());
            nextReportNs = now + REPORT_INTERVAL_NS;
        }
    }
}
