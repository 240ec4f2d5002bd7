// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.hostreport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbus.channel.Endpoint;
import io.verbus.perf.demo.DemoNetwork;
import io.verbus.perf.demo.DemoTransport;
import io.verbus.perf.run.PerfServer;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** Reports on the lab's devices, without the tests, which would include this one. */
@Tag("lab")
@Tag("soak")
class ReportLabTest {
    @TempDir Path folder;

    @Test
    @Timeout(1_900)
    void measuresBesideEachContenderAndHidesAddresses() throws Exception {
        DemoNetwork network = DemoNetwork.find(DemoTransport.RDMA, null, null);
        HostReport hostReport = new HostReport(network, "", folder, 30, false, System.err);
        assertReport(network, hostReport);
    }

    @Test
    @Timeout(1_900)
    void measuresWithPerfServerOfAnotherHost() throws Exception {
        DemoNetwork network = DemoNetwork.find(DemoTransport.RDMA, null, null);
        HostReport other = new HostReport(null, "", folder, 30, false, System.err);
        try (PerfServer server =
                new PerfServer(
                        new Endpoint(network.to(), 24_480),
                        network.from(),
                        other.texts(),
                        System.err)) {
            Thread.ofPlatform().daemon().start(server::run);
            HostReport hostReport =
                    new HostReport(network, network.to() + ":24480", folder, 30, false, System.err);
            String report = assertReport(network, hostReport);
            assertTrue(report.contains("\n## the other host: doctor\n\n````\n[\n"), report);
        }
    }

    private static String assertReport(DemoNetwork network, HostReport hostReport)
            throws Exception {
        String report = hostReport.run();
        assertFalse(hostReport.hasFailed(), report);
        for (String part : new String[] {"floor", "ib_write_lat", "ib_write_bw", "aeron"}) {
            assertTrue(report.contains("\n## beside " + part + "\n\npassed, "), report);
        }
        assertTrue(report.contains("\n## doctor\n\npassed, "), report);
        assertTrue(report.contains("\"driver\": \"software\""), report);
        assertEquals(-1, report.indexOf(network.from()), report);
        assertEquals(-1, report.indexOf(network.to()), report);
        return report;
    }
}
