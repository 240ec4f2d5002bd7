// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs {@code verbus demo cluster} over RDMA, with killed members and cut links. */
@Tag("lab")
@Tag("soak")
class ClusterDemoLabTest {
    private static final long LIMIT_S = 3_000;
    private static final Pattern CARRIED =
            Pattern.compile("demo: (.*): ([0-9,]+) bytes sent over RDMA, none over UDP; .*");

    private static final Pattern COUNTS =
            Pattern.compile(" orders=([0-9]+) acknowledged=\\1 lost=0 duplicated=0 ");

    @TempDir Path folder;

    private void run(DemoRun demo, int orders) throws Exception {
        assertEquals(0, demo.exitStatus(), demo.errors());
        String last = demo.output().lines().toList().getLast();
        assertTrue(last.startsWith("demo ok: cluster transport=rdma device="), last);
        Matcher counts = COUNTS.matcher(last);
        assertTrue(counts.find() && Integer.parseInt(counts.group(1)) >= orders, last);
        List<String> carried =
                demo.errors()
                        .lines()
                        .map(CARRIED::matcher)
                        .filter(Matcher::matches)
                        .map(line -> line.group(1))
                        .toList();
        assertEquals(List.of("member 0", "member 1", "member 2", "client"), carried);
        demo.assertNothingIsLeft();
    }

    private DemoRun start(int orders, int kills) throws IOException {
        return DemoRun.launched(
                folder,
                LIMIT_S,
                List.of(
                        "cluster",
                        "--orders=" + orders,
                        "--rate=20",
                        "--kills=" + kills,
                        "--timeout=" + (LIMIT_S - 30)));
    }

    @Test
    @Timeout(LIMIT_S + 30)
    void survivesKilledLeaderThatRejoins() throws Exception {
        try (DemoRun demo = start(1_000, 1)) {
            run(demo, 1_000);
            assertTrue(demo.errors().contains("kills the leader, member "), demo.errors());
        }
    }

    @Test
    @Timeout(LIMIT_S + 30)
    void losesNoOrdersWhenTenLeadersAreKilled() throws Exception {
        try (DemoRun demo = start(1_000, 10)) {
            run(demo, 1_000);
            assertEquals(
                    10,
                    demo.errors()
                            .lines()
                            .filter(line -> line.contains("kills the leader, member "))
                            .count());
        }
    }

    /**
     * Streams to and from a member are held for the resume time-out, 10 s, and then end. The run
     * needs enough orders: those that become due while a leader is disconnected and another is
     * elected are sent immediately afterwards. The disconnected member is the leader; after 30 s,
     * another member is.
     */
    @ParameterizedTest
    @CsvSource({"3, 3000, 1", "30, 10000, 2"})
    @Timeout(LIMIT_S + 30)
    void survivesTemporaryDisconnectOfMember(int seconds, int orders, int leaders)
            throws Exception {
        assumeTrue(
                Integer.parseInt(System.getenv().getOrDefault("VERBUS_LAB_ENDS", "0")) > 3,
                "needs a link per member: lab/junit --ends 4");
        try (DemoRun demo = start(orders, 0)) {
            for (int member = 1; member <= 3; member++) {
                demo.awaitOrders(demo.orders() + 300);
                wire("cut", Integer.toString(member));
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
                wire("restore");
            }
            run(demo, orders);
            assertTrue(
                    demo.errors().lines().filter(line -> line.endsWith(": role LEADER")).count()
                            >= leaders,
                    demo.errors());
        } finally {
            wire("restore");
        }
    }

    private static void wire(String... fault) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("wire"));
        command.addAll(List.of(fault));
        assertEquals(0, new ProcessBuilder(command).inheritIO().start().waitFor());
    }
}
