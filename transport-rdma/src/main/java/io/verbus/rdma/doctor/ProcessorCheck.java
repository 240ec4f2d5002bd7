// SPDX-License-Identifier: Apache-2.0

package io.verbus.rdma.doctor;

import java.util.ArrayList;
import java.util.List;

/** Checks that polling threads have dedicated processors, at full speed. */
final class ProcessorCheck {
    private static final String AREA = "processors";
    private static final String SYSFS = "/sys/devices/system/cpu";

    /** Number of polling threads: conductor, sender, receiver and the application. */
    private static final int POLLING = 4;

    private ProcessorCheck() {}

    static void examine(Host host, Findings findings) {
        FileTree files = host.files();
        String list = files.field("/proc/self/status", "Cpus_allowed_list");
        CpuSet allowed = CpuSet.of(list);
        if (allowed.isEmpty()) {
            findings.warning(
                    AREA,
                    "cannot read which CPUs this process may use",
                    "run `taskset -p PID` with the" + " driver's process id");
        } else if (allowed.size() < POLLING) {
            findings.warning(
                    AREA,
                    "this process may run on %d CPUs (%s), ".formatted(allowed.size(), list)
                            + "which is too few for a driver with dedicated threads and an"
                            + " application",
                    "give the process "
                            + POLLING
                            + " or more CPUs, or set verbus.threading to shared or invoker");
        } else {
            findings.ok(
                    AREA, "this process may run on %d CPUs (%s)".formatted(allowed.size(), list));
        }
        examineGovernor(files, allowed, findings);
        examineIsolation(files, findings);
    }

    private static void examineGovernor(FileTree files, CpuSet allowed, Findings findings) {
        List<String> slow = new ArrayList<>();
        boolean known = false;
        for (int cpu : allowed.all()) {
            String governor = files.read(SYSFS + "/cpu" + cpu + "/cpufreq/scaling_governor");
            known |= !governor.isEmpty();
            if (!governor.isEmpty() && !governor.equals("performance")) {
                slow.add(cpu + " " + governor);
            }
        }
        if (!slow.isEmpty()) {
            findings.warning(
                    AREA,
                    "these CPUs do not use the performance governor: " + String.join(", ", slow),
                    "`cpupower frequency-set -g performance`");
        } else if (known) {
            findings.ok(AREA, "all CPUs of this process use the performance governor");
        } else {
            findings.ok(
                    AREA,
                    "the CPUs have no readable governor, as is usual in virtual" + " machines");
        }
    }

    private static void examineIsolation(FileTree files, Findings findings) {
        String isolated = files.read(SYSFS + "/isolated");
        String tickless = files.read(SYSFS + "/nohz_full");
        if (CpuSet.of(isolated).isEmpty()) {
            findings.warning(
                    AREA,
                    "no CPU is isolated: the scheduler may run other threads on CPUs where the"
                            + " driver polls",
                    "boot with isolcpus=LIST nohz_full=LIST rcu_nocbs=LIST, and bind the driver's"
                        + " agents to these CPUs with verbus.sender.cpu and verbus.receiver.cpu");
        } else if (CpuSet.of(tickless).isEmpty()) {
            findings.warning(
                    AREA,
                    "CPUs " + isolated + " are isolated, but the timer still ticks on them",
                    "boot with nohz_full=" + isolated + " rcu_nocbs=" + isolated);
        } else {
            findings.ok(
                    AREA,
                    "CPUs %s are isolated, and CPUs %s have no timer tick"
                            .formatted(isolated, tickless));
        }
    }
}
