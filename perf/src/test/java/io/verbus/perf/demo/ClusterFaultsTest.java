// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;

/**
 * Runs {@code verbus demo cluster} over UDP with faults: no acknowledged order is lost, none is
 * applied twice, and the books of all members are equal in the end.
 */
@Tag("soak")
class ClusterFaultsTest {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({"driver,2", "follower,2", "restart,2", "outage,2"})
    @Timeout(420)
    void losesNoOrders(String fault, int times) throws Exception {
        run(400, "--fault=" + fault, "--kills=" + times, "--timeout=390");
    }

    @Test
    @Timeout(3_700)
    void losesNoOrdersWhenHundredLeadersAreKilled() throws Exception {
        run(3_650, "--fault=leader", "--kills=100", "--timeout=3600");
    }

    private void run(long limitS, String fault, String times, String timeout) throws Exception {
        List<String> options =
                List.of(
                        "cluster",
                        "--transport=udp",
                        "--orders=1000",
                        "--rate=300",
                        fault,
                        times,
                        timeout);
        try (DemoRun demo = new DemoRun(folder, limitS, options)) {
            assertEquals(0, demo.exitStatus(), demo.errors());
            String last = demo.output().lines().toList().getLast();
            assertTrue(last.startsWith("demo ok: cluster transport=udp "), last);
            assertTrue(last.contains(" lost=0 duplicated=0 "), last);
            assertTrue(
                    last.endsWith(fault.replace("--", " ") + times.replace("--kills", " times")),
                    last);
            demo.assertNothingIsLeft();
        }
    }
}
