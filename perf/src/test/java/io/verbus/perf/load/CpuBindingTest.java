// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

class CpuBindingTest {
    @Test
    void parsesListOfCpus() {
        assertEquals("{0, 2, 3, 4}", CpuBinding.parse("0,2-4").toString());
        assertTrue(CpuBinding.allowed().cardinality() > 0);
    }

    private static String allowed(int cpu) throws IOException {
        List<String> command = new ArrayList<>(CpuBinding.command(cpu));
        command.addAll(List.of("grep", "Cpus_allowed_list", "/proc/self/status"));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .replaceFirst(".*:", "")
                .strip();
    }

    @Test
    void bindsProgramToCpu() throws IOException {
        String all = allowed(-1);
        int first = Integer.parseInt(all.split("[,-]")[0]);

        assertEquals(Integer.toString(first), allowed(first));
    }

    @Test
    void leavesProgramUnboundWhenCpuIsNegative() {
        assertEquals(List.of(), CpuBinding.command(-1));
    }
}
