// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DemoResultTest {
    @Test
    void decodesEncodedLine() {
        DemoResult result = new DemoResult(1, 2, 3, 4, 5, 6, 7);
        assertTrue(DemoResult.isLine(result.toLine()));
        assertEquals(result, DemoResult.parse(result.toLine()));
    }

    @Test
    void isPerfectOnlyWithoutFaults() {
        assertTrue(new DemoResult(9, 0, 0, 0, 0, 1, 2).isPerfect());
        assertFalse(new DemoResult(8, 1, 0, 0, 0, 1, 2).isPerfect());
        assertFalse(new DemoResult(9, 0, 1, 0, 0, 1, 2).isPerfect());
        assertFalse(new DemoResult(9, 0, 0, 1, 0, 1, 2).isPerfect());
        assertFalse(new DemoResult(9, 0, 0, 0, 1, 1, 2).isPerfect());
    }

    @Test
    void summaryNamesTransportDeviceAndMicroseconds() {
        assertEquals(
                "demo ok: transport=rdma device=mlx5_0 messages=200000 lost=0 reordered=0 corrupt=0"
                        + " p50_us=2.1 p99_us=1234.6",
                new DemoResult(200_000, 0, 0, 0, 0, 2_051, 1_234_567)
                        .summary(DemoTransport.RDMA, "mlx5_0"));
    }

    @Test
    void pacesLastFifthForAtMostTenSeconds() {
        assertEquals(160_000, DemoPlan.of(200_000, 4_000).firstPaced());
        assertEquals(960_000, DemoPlan.of(1_000_000, 4_000).firstPaced());
        assertEquals(0, DemoPlan.of(1, 4_000).firstPaced());
    }
}
