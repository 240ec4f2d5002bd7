// SPDX-License-Identifier: Apache-2.0

package io.verbus.perf.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbus.perf.load.Load;
import io.verbus.perf.load.Work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Commands of perftest's programs, of versions that relax PCIe ordering and of earlier ones. */
class PerftestProgramTest {
    private static final Work WORK =
            new Work(
                    Work.Wire.RDMA,
                    2,
                    Work.Drivers.EMBEDDED,
                    32,
                    1408,
                    64 * 1024,
                    100,
                    0,
                    Load.roundTrips(Load.MAX, 1),
                    Work.Threading.INVOKER,
                    Work.Idle.YIELD,
                    Work.Idle.BACKOFF,
                    "10.0.0.1",
                    "10.0.0.2",
                    24_470,
                    "",
                    "");

    @TempDir Path folder;

    private PerftestProgram program(String help) throws IOException {
        Path script = folder.resolve("ib_write_lat");
        Files.writeString(
                script,
                """
                #!/bin/sh
                case $1 in
                --version) echo 'Version: 6.07' ;;
                --help) echo '%s'; exit 1 ;;
                esac
                """
                        .formatted(help));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return new PerftestProgram(script.toString(), WORK, 32);
    }

    private String command(PerftestProgram program) throws IOException, InterruptedException {
        return String.join(
                " ", program.command(new PerftestPort("mlx5_0", 3), -1, 100, List.of("-U")));
    }

    @Test
    void requestsStrictOrderIfProgramRelaxesItByDefault() throws Exception {
        PerftestProgram program =
                program("      --disable_pcie_relaxed  Disable PCIe relaxed ordering");
        String name = folder.resolve("ib_write_lat").toString();
        assertEquals(
                name + " -F -d mlx5_0 -x 3 -p 24470 -s 32 -n 100 --disable_pcie_relaxed -U",
                command(program));
        assertEquals(name + " Version: 6.07 --disable_pcie_relaxed", program.version());
    }

    @Test
    void runsProgramWithoutOptionForOrder() throws Exception {
        PerftestProgram program = program("  -F, --CPU-freq  Do not show a warning");
        String name = folder.resolve("ib_write_lat").toString();
        assertEquals(name + " -F -d mlx5_0 -x 3 -p 24470 -s 32 -n 100 -U", command(program));
        assertEquals(name + " Version: 6.07", program.version());
    }
}
