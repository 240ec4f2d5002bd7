// SPDX-License-Identifier: Apache-2.0

package io.verbus.driver.system;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbus.transport.Examination;
import io.verbus.transport.Finding;
import io.verbus.transport.Finding.Level;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;

/** Findings of `verbus doctor` on hosts with devices. */
@Tag("lab")
@Tag("kernel")
@Timeout(120)
@Tag("slow")
class DoctorLabTest {
    private static final Path SYSFS = Path.of("/sys/class/infiniband");

    private static List<Finding> examine() throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        for (Examination examination : ServiceLoader.load(Examination.class)) {
            findings.addAll(
                    examination.examine(
                            new Examination.Scope(
                                    Set.of("rdma", "udp", "ipc"),
                                    (name, preset) -> preset,
                                    Duration.ofMillis(10))));
        }
        return findings;
    }

    private static void check(List<Finding> findings, Level level, String pattern) {
        assertTrue(
                findings.stream().anyMatch(f -> f.level() == level && f.text().matches(pattern)),
                () -> level + " " + pattern + " in " + findings);
    }

    @Test
    void findsEachKernelDeviceWithoutError() throws IOException, InterruptedException {
        List<Finding> findings = examine();
        assertFalse(findings.stream().anyMatch(f -> f.level() == Level.ERROR), findings::toString);
        check(findings, Level.OK, "libibverbs and librdmacm are installed");
        check(findings, Level.OK, "programs can establish connections .*");
        try (var devices = Files.list(SYSFS)) {
            for (Path device : devices.toList()) {
                String name = device.getFileName().toString();
                check(findings, Level.OK, "(.*, )?" + name + "(, .*)?");
                check(findings, Level.OK, name + " port 1 is ACTIVE, .*");
                check(findings, Level.OK, name + " port 1 counted no link errors .*");
            }
        }
    }

    /** The lab's wire has an MTU of 1500 by default, and rxe could use 4096. */
    @Test
    void findsSoftwareDevicesOfLab() throws IOException, InterruptedException {
        boolean rxe = Files.isDirectory(SYSFS.resolve("rxe2"));
        boolean siw = Files.isDirectory(SYSFS.resolve("siw2"));
        assumeTrue(rxe || siw, "these are not the lab's devices");
        List<Finding> findings = examine();
        for (int end = 1; end <= 2; end++) {
            String device = (rxe ? "rxe" : "siw") + end;
            String port = device + " port 1";
            String address = "10.77.0." + end + " of v" + end;
            check(findings, Level.WARNING, device + " is a software device.*");
            if (rxe) {
                check(findings, Level.OK, port + " uses GID \\d+ \\(RoCE v2\\) for " + address);
                checkMtu(findings, port, "v" + end);
            } else {
                check(findings, Level.OK, port + " is ACTIVE, iWARP.*");
                check(findings, Level.OK, port + " has the address " + address);
            }
        }
    }

    private static void checkMtu(List<Finding> findings, String port, String netdev)
            throws IOException {
        String mtu = Files.readString(Path.of("/sys/class/net/" + netdev + "/mtu")).strip();
        if (mtu.equals("1500")) {
            check(
                    findings,
                    Level.WARNING,
                    "%s has MTU 1024 but supports 4096, because .* %s is 1500"
                            .formatted(port, netdev));
        }
    }
}
