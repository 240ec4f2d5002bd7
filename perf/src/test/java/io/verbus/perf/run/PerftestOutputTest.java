// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbus.BusException;
import io.verbus.perf.load.Measurement;

import org.junit.jupiter.api.Test;

class PerftestOutputTest {
    private static final String LATENCIES =
            """
            ---------------------------------------------------------------------------------------
                                RDMA_Write Latency Test
             Number of qps   : 1
            ---------------------------------------------------------------------------------------
            #, usec
            1, 10.50
            2, 20.00
            3, 30.00
             #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]
             32      3          10.50          30.00        20.00
            """;

    private static final String BANDWIDTH =
            """
             #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
             65536      1000             300.10             250.50             0.004008
            """;

    @Test
    void doublesLatencySamplesToRoundTrips() {
        Measurement measurement = IbWriteLatency.parse(LATENCIES);

        assertEquals(3, measurement.histogram().getTotalCount());
        assertEquals(121_000, measurement.elapsedNs());
        assertEquals(
                40_000,
                measurement
                        .histogram()
                        .lowestEquivalentValue(measurement.histogram().getValueAtPercentile(50)),
                40);
    }

    @Test
    void readsAverageBandwidth() {
        assertEquals(250.5 * 1024 * 1024, IbWriteBandwidth.parse(BANDWIDTH), 0.1);
    }

    @Test
    void reportsOutputWithoutFigures() {
        BusException latency =
                assertThrows(
                        BusException.class, () -> IbWriteLatency.parse("Couldn't connect to host"));
        BusException bandwidth =
                assertThrows(BusException.class, () -> IbWriteBandwidth.parse("no device"));

        assertEquals(
                "ib_write_lat printed no samples: Couldn't connect to host", latency.getMessage());
        assertEquals("ib_write_bw printed no bandwidth: no device", bandwidth.getMessage());
    }
}
