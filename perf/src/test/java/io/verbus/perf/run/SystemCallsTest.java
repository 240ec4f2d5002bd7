// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

class SystemCallsTest {
    @Test
    void addsSummaries() {
        SystemCalls calls = new SystemCalls(new TreeMap<>(), new TreeMap<>());
        calls.add(
                List.of(
                        "syscall              calls    errors",
                        "---------------- --------- ---------",
                        "recvfrom             30000     20000",
                        "sendto               10000",
                        "---------------- --------- ---------",
                        "total                40000     20000"));
        calls.add(List.of("recvfrom                 7         2"));
        assertEquals(Map.of("recvfrom", 10_005L, "sendto", 10_000L), calls.useful());
        assertEquals(Map.of("recvfrom", 20_002L, "sendto", 0L), calls.vain());
    }
}
